import { message } from '../../src/core/text/message.ts';
import { AppregError } from '../../src/core/errors/error.ts';
import type { Document } from '../../src/author/document.ts';
import type { DocumentContent } from '../../src/core/json/content.ts';
import { EditStep } from '../../src/publish/edit-step.ts';
import type { Plan, Step } from '../../src/publish/plan.ts';
import { StoredDocument } from '../../src/publish/stored-document.ts';
import type { StepResult } from '../../src/publish/apply-step.ts';
import type { Store } from '../../src/store/store.ts';
import { memoryStore } from './memory.ts';

/** A plan of three steps, and stores that record or change what is done. */

export const artifact: Step & { kind: 'create' } = {
  kind: 'create',
  path: 'a/1.0.0.tar.gz',
  bytes: Buffer.from('bytes'),
  what: 'the artifact of a 1.0.0',
  artifactOf: {
    version: '1.0.0',
    artifactUrl: 'https://h.test/a/1.0.0.tar.gz',
    artifactChecksum: `sha256:${'0'.repeat(64)}`,
  },
};

export const metadata = 'a/versions.json';

/** A document of any text. */
function plainText(content: DocumentContent, path: string): Document {
  return { path, text: content.text ?? '', value: null, content };
}

/**
 * The edit of a text, which must change an empty one. It was planned on an empty file, in an earlier state; with
 * `isNew`, on a missing one.
 */
export function editing(
  edit: (text: string) => string | null,
  { path = metadata, what = 'a change', isNew = false }: { path?: string; what?: string; isNew?: boolean } = {},
): EditStep {
  const from = isNew
    ? StoredDocument.missing(path, '', plainText)
    : StoredDocument.of({ bytes: Buffer.of(), token: 'an earlier state' }, path, plainText);
  const step = EditStep.of(from, { what }, ({ text, content }) => {
    const edited = edit(text);
    return edited === null ? null : plainText({ ...content, text: edited }, path);
  });
  if (step === null) throw new Error('the edit changes nothing');
  return step;
}

/** Adds a line, once. */
export function adding(line: string, path: string = metadata): EditStep {
  return editing((text) => (text.split('\n').includes(line) ? null : `${text}${line}\n`), {
    path,
    what: `the version ${line}`,
  });
}

export const plan: Plan = { steps: [artifact, adding('1.0.0')] };

export function outcomes(results: readonly StepResult[]): string[] {
  return results.map(({ step, outcome }) => `${step.path}: ${outcome}`);
}

/** A store that records the order of its writes, and whose methods can be replaced. */
export function watched(
  files: Record<string, string | Uint8Array>,
  over: (store: Store) => Partial<Store> = () => ({}),
): { store: Store; log: string[]; text(path: string): string | undefined } {
  const memory = memoryStore(files);
  const changed = { ...memory, ...over(memory) };
  const log: string[] = [];
  const store: Store = {
    name: 'memory',
    read: (path) => changed.read(path),
    digest: (path) => changed.digest(path),
    async create(path, bytes) {
      const answer = await changed.create(path, bytes);
      log.push(`${answer} ${path}`);
      return answer;
    },
    async replace(path, bytes, token) {
      const answer = await changed.replace(path, bytes, token);
      log.push(`${answer} ${path}`);
      return answer;
    },
  };
  return { store, log, text: (path) => memory.files.get(path)?.toString('utf8') };
}

export const full = (): never => {
  throw new AppregError('disk-full', message`Cannot write it: the disk is full.`, message`Free some space.`, {
    effect: 'none',
  });
};

/** An edit that is refused on another writer's text. */
export const refusing: Step = editing((text) => {
  if (text === '') return 'ours';
  throw new AppregError('immutable', message`Published meanwhile.`, message`Take the next version.`, {
    effect: 'none',
  });
});
