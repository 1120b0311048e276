import {
  type ArtifactFacts,
  documentContent,
  type DocumentFacts,
  type Finding,
  type IconFacts,
  isObject,
  type JsonValue,
  member,
  message,
  type Missing,
  parseDocument,
  type Report,
  type SafeText,
  startJudging,
} from 'appreg';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentCase, DocumentKind } from '../case/case.ts';
import { failed, observeAll, passed, type Observation } from '../result.ts';
import { folderOf } from '../sets.ts';
import type { Answer, GivenDocument, Validator, ReportedFault } from './validator.ts';

/** Number of validators that run at once. */
const CONCURRENCY = 4;

/** The document of a case, in the folder of the set. */
export function documentOf({ id, script }: DocumentCase, set: number): GivenDocument {
  const kind = script.document;
  return { path: join(folderOf(set, 'documents'), id, `${kind}.json`), kind };
}

/** Gives each document to a validator, and compares the answer with the expected verdict. */
export async function runDocumentCases(
  cases: readonly DocumentCase[],
  set: number,
  validator: Validator,
): Promise<Observation[]> {
  return observeAll(cases, CONCURRENCY, async (one) => compare(one, await validator(documentOf(one, set))));
}

export function compare({ id, expect }: DocumentCase, answer: Answer): Observation {
  const seen = describe(answer);
  if ('failure' in answer) return failed(id, answer.failure, seen);
  const rejects = expect.verdict === 'invalid';
  if (answer.accepted === rejects)
    return failed(
      id,
      rejects ? message`The document is invalid, and was accepted.` : message`The document was rejected.`,
      seen,
    );
  // A validator that does not say where faults are is judged by its verdict alone.
  if (answer.faults === null) return passed(id, seen);
  const severity = rejects ? 'error' : 'warning';
  const reported = answer.faults.filter((fault) => fault.severity === severity).map(({ pointer }) => pointer);
  const missing = expect.verdict === 'valid' ? undefined : expect.faults.find((fault) => !isReported(fault, reported));
  if (missing !== undefined) return failed(id, message`No ${severity} was reported at “${missing}”.`, seen);
  return passed(id, seen);
}

/** True if a fault is reported at its place, or at a value that contains it. */
function isReported(fault: string, reported: readonly string[]): boolean {
  return reported.some((pointer) => fault === pointer || fault.startsWith(`${pointer}/`));
}

function describe(answer: Answer): SafeText {
  if ('failure' in answer) return message`no verdict`;
  const verdict = answer.accepted ? 'accepted' : 'rejected';
  if (answer.faults === null || answer.faults.length === 0) return message`${verdict}`;
  const faults = answer.faults.map(({ severity, pointer }) => `${severity} at “${pointer}”`);
  return message`${verdict}: ${faults.join(', ')}`;
}

/** The validator of appreg itself: the rules that `appreg lint` judges a document with, and nothing beside it. */
export const coreValidator: Validator = async ({ path, kind }) => {
  const { findings } = judgeDocument(readFileSync(path), kind);
  const faults = findings.flatMap(faultOf);
  return { accepted: !faults.some(({ severity }) => severity === 'error'), faults };
};

/** A report on one document, without the files that it refers to. @param bytes of the document */
export function judgeDocument(bytes: Uint8Array, kind: DocumentKind): Report {
  const judging = startJudging({ command: 'lint', target: `${kind}.json`, now: NOW });
  const document = { ...absent(), file: `${kind}.json`, content: documentContent(bytes) };
  if (kind === 'metadata') judging.metadata(document, [], null);
  else {
    judging.manifest(document);
    const apps = member(valueOf(document), 'apps');
    for (const key of isObject(apps) ? Object.keys(apps) : [])
      judging.app({ key, metadata: absent(), icon: absent(), artifacts: [] });
  }
  return judging.finish(0);
}

/** Only rules about the ages of responses depend on it. */
const NOW = '2026-01-01T00:00:00.000Z';

const OFFLINE: Missing = { missing: { code: 'offline' } };

/** A file that was not read. */
function absent(): DocumentFacts & IconFacts & ArtifactFacts & { content: Missing } {
  return { url: null, file: null, web: OFFLINE, content: OFFLINE, image: OFFLINE, archive: OFFLINE };
}

function valueOf({ content }: { content: Parameters<typeof parseDocument>[0] }): JsonValue {
  return parseDocument(content).value ?? null;
}

function faultOf({ severity, pointer }: Finding): ReportedFault[] {
  return severity === 'note' ? [] : [{ severity, pointer: pointer ?? '' }];
}
