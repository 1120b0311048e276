import schema from '../../../schemas/about.schema.json' with { type: 'json' };
import type { DocumentContent } from '../json/content.ts';
import { validateAbout } from '../generated/about.js';
import { urlError } from '../url/url-error.ts';
import { type Fault, positionsInJson, readInputFile } from '../json/input-file.ts';
import { lineStarts } from '../json/positions.ts';
import type { JsonValue } from '../json/json.ts';
import { type ShapeError, type Violation, violationsOf } from '../json/violations.ts';
import { pointerTo } from '../json/pointer.ts';
import {
  type AboutFieldName,
  APP_FIELDS,
  type AppField,
  type FieldKind,
  type FieldOptionName,
} from '../registry/app-fields.ts';
import { recordFrom } from '../values/record.ts';
import { isSemver } from '../registry/version.ts';
import { isInCalendar } from '../text/calendar.ts';
import { message, safe } from '../text/message.ts';
import { grouped } from '../text/text.ts';
import type { AboutDocument, DeprecationFields, RetirementReason } from './about-document.ts';

/** Reads about files. Fields that are not known are ignored and named, so that later ones can be added. */

/** Statements of an author about an app. All of it is a claim of the author, and untrusted text. */
export interface About {
  app: AboutApp;
  /** By version; versions that are not listed may be among them. */
  versions: ReadonlyMap<string, AboutVersion>;
}

/** Absolute http(s) URLs, and the license, by the name of the field; null for absent ones. `support` may be a mailto: URL. */
export type AboutApp = Record<AboutFieldName, string | null>;

/** The fields of the app in an about file. */
export const ABOUT_FIELDS = APP_FIELDS.filter(
  (field): field is AppField<AboutFieldName, FieldOptionName> => field.in === 'about',
);

/** Statements of an about file without fields. */
export const NOTHING_SAID: AboutApp = recordFrom(ABOUT_FIELDS.map(({ name }) => [name, null]));

/** Texts of an about file about a version; null for an absent or invalid field. */
export interface AboutVersion {
  /** A time in UTC (ISO 8601). */
  published: string | null;
  /** Markdown. */
  notes: string | null;
  deprecated: Retirement | null;
}

/** Advice of an author against a version. */
export interface Retirement {
  reason: RetirementReason;
  /** One line of text, at most 280 characters. */
  message: string;
  /** The version to use in its place. */
  use: string | null;
  /** A date, such as `2026-01-31`. */
  since: string | null;
}

/** Release notes have at most this number of bytes, in UTF-8. */
export const LARGEST_NOTES = 20_000;

const WORDS = { schema, whole: 'The about file', member: 'field' } as const;

/** An about file: what it says, and what is wrong with it. */
export interface AboutReading {
  /** Null if the file has faults. */
  about: About | null;
  faults: readonly AboutFault[];
  /** Fields that are not known. They are ignored. */
  unknown: readonly AboutFault[];
}

/** A sentence about an about file, and its place. */
interface AboutFault extends Fault {
  /** In the text of the file, in UTF-16 code units. */
  offset: number;
}

/** Reads an about file. A file with a fault is not used in part: what is missing could be a retirement. */
export function readAboutFile(content: DocumentContent): AboutReading {
  let unknown: readonly Violation[] = [];
  const { value, faults } = readInputFile(content, (given) => {
    const found = violationsIn(given);
    ({ unknown } = found);
    return found.faults;
  });
  const positions = positionsInJson(content.text ?? '', unknown);
  const ignored = unknown.map((one, index) => ({ message: one.message, position: positions[index] ?? null }));
  const starts = lineStarts(content.text ?? '');
  const placed = (fault: Fault): AboutFault => ({ ...fault, offset: offsetOf(fault, starts) });
  return {
    // Without faults, it has the form of the schema.
    about: value === null ? null : aboutIn(value as unknown as AboutDocument),
    faults: faults.map(placed),
    unknown: ignored.map(placed),
  };
}

function offsetOf({ position }: Fault, starts: readonly number[]): number {
  return position === null ? 0 : (starts[position.line - 1] ?? 0) + position.column - 1;
}

/** Finds the faults in the value of an about file; fields that are not known are separate. */
function violationsIn(value: JsonValue): { faults: Violation[]; unknown: Violation[] } {
  if (validateAbout(value)) return { faults: contentViolations(value as unknown as AboutDocument), unknown: [] };
  const errors = validateAbout.errors ?? [];
  const wrong = errors.filter((error) => !isUnknown(error));
  const faults = violationsOf(wrong, value, WORDS);
  return {
    faults: faults.length === 0 ? contentViolations(value as unknown as AboutDocument) : faults,
    unknown: violationsOf(errors.filter(isUnknown), value, WORDS),
  };
}

function isUnknown({ keyword }: ShapeError): boolean {
  return keyword === 'additionalProperties';
}

/** Violations that the schema cannot express. */
function contentViolations({ app = {}, versions = {} }: AboutDocument): Violation[] {
  const urls = ABOUT_FIELDS.flatMap(({ name, kind }) => {
    const url = app[name];
    const error = url === undefined || !isWebUrl(kind, url) ? null : urlError(url);
    return error === null
      ? []
      : [
          {
            pointer: pointerTo('app', name),
            isAboutName: false,
            message: message`“app.${name}”: ${safe(error.message)}`,
          },
        ];
  });
  return [...urls, ...Object.entries(versions).flatMap(([version, fields]) => versionViolations(version, fields))];
}

/** True if the value of a field must be an absolute http(s) URL. */
function isWebUrl(kind: FieldKind, value: string): boolean {
  return kind === 'page-url' || (kind === 'support-url' && !value.startsWith('mailto:'));
}

function versionViolations(version: string, { published, notes, deprecated }: VersionFields): Violation[] {
  const found: Violation[] = [];
  const add = (steps: string[], isAboutName: boolean, text: Violation['message']): void => {
    found.push({ pointer: pointerTo('versions', version, ...steps), isAboutName, message: text });
  };
  if (!isSemver(version)) add([], true, message`“${version}” is not a semantic version, such as 1.2.0.`);
  if (published !== undefined && !isInCalendar(published))
    add(['published'], false, message`“${published}” is not a time of the calendar.`);
  const bytes = notes === undefined ? 0 : new TextEncoder().encode(notes).length;
  if (bytes > LARGEST_NOTES)
    add(
      ['notes'],
      false,
      message`The notes of ${version} have ${grouped(bytes)} bytes; at most ${grouped(LARGEST_NOTES)} are allowed.`,
    );
  const use = deprecated?.use;
  if (use !== undefined && !isSemver(use))
    add(['deprecated', 'use'], false, message`“${use}” is not a semantic version, such as 1.2.0.`);
  const since = deprecated?.since;
  if (since !== undefined && !isInCalendar(since))
    add(['deprecated', 'since'], false, message`“${since}” is not a date of the calendar.`);
  return found;
}

type VersionFields = NonNullable<AboutDocument['versions']>[string];

function aboutIn({ app = {}, versions = {} }: AboutDocument): About {
  const known = Object.entries(versions).map(([version, { published = null, notes = null, deprecated }]) => {
    return [version, { published, notes, deprecated: deprecated ? retirementIn(deprecated) : null }] as const;
  });
  return { app: recordFrom(ABOUT_FIELDS.map(({ name }) => [name, app[name] ?? null])), versions: new Map(known) };
}

function retirementIn({ reason, message: text, use, since }: DeprecationFields): Retirement {
  return { reason, message: text, use: use ?? null, since: since ?? null };
}
