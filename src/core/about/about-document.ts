import type { AboutFieldName } from '../registry/app-fields.ts';
import type { Moment, NotBlank } from '../values/scalars.ts';

/** The about file of an app, as it is written: the one declaration behind schemas/about.schema.json and its validator. */

/**
 * The about file of an app, beside its metadata file: what the author tells subscribers about the app and its versions.
 *
 * @title About file of an app
 */
export interface AboutDocument {
  $schema?: string;
  schema: 1;
  /**
   * Fields for all versions of the app.
   *
   * @asType object
   */
  app?: Partial<Record<AboutFieldName, AboutForms[keyof AboutForms]>>;
  /** By version. */
  versions?: Record<SemanticVersion, AboutVersionFields>;
}

/** The form of a field of the app (registry/app-fields.ts), by its kind: the schema has a member for each field. */
interface AboutForms {
  pageUrl: WebUrl;
  supportUrl: SupportUrl;
  license: Licence;
}

/** Fields of one version. */
interface AboutVersionFields {
  /** When the version was published, as the author says. It is written once. */
  published?: Moment;
  /** The release notes in Markdown: at most 20,000 bytes in UTF-8, without HTML and images. */
  notes?: string;
  deprecated?: DeprecationFields;
}

/** The author advises against the version. It stays listed, and its artifact never changes. */
export interface DeprecationFields {
  reason: RetirementReason;
  /** The sentence that subscribers should read. */
  message: RetirementMessage;
  /** The version to use in place of this one. */
  use?: SemanticVersion;
  since?: Day;
}

/** Reason of an author to retire a version. */
export type RetirementReason = 'security' | 'broken' | 'superseded' | 'unmaintained' | 'legal';

/**
 * @pattern ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$
 * @patternErrorMessage a semantic version, such as 1.2.0
 */
type SemanticVersion = string;

/**
 * @maxLength 2000
 * @pattern ^https?://[^\s<>"]+$
 * @patternErrorMessage an absolute http(s) URL
 */
type WebUrl = string;

/**
 * @maxLength 2000
 * @pattern ^(https?://|mailto:)[^\s<>"]+$
 * @patternErrorMessage an absolute http(s) URL, or mailto: with an address
 */
type SupportUrl = string;

/**
 * @maxLength 200
 * @pattern \S
 * @patternErrorMessage text that is not blank
 */
type Licence = NotBlank;

/**
 * @maxLength 280
 * @pattern \S
 * @patternErrorMessage text that is not blank
 */
type RetirementMessage = NotBlank;

/**
 * @pattern ^\d{4}-\d\d-\d\d$
 * @patternErrorMessage a date, such as "2026-01-31"
 */
type Day = string;
