import { readFileSync } from 'node:fs';
import { startJudging } from '../../core/engine/judge.ts';
import type { Finding, Report } from '../../core/engine/report.ts';
import type { ArtifactFacts, DocumentFacts, IconFacts } from '../../core/facts/facts.ts';
import type { Missing } from '../../core/facts/missing.ts';
import { documentContent, isObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import type { DocumentKind } from './case.ts';
import type { ReportedFault, Validator } from './validator.ts';

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
