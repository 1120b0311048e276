import type { ComparedState, HostFacts, Shard, Snapshot } from '../../core/facts/facts.ts';
import type { FactsPart } from '../../core/facts/part.ts';
import { redactInPlace } from '../../core/text/text.ts';
import { message } from '../../core/text/message.ts';
import { basename, resolve } from 'node:path';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { systemErrorCode } from '../../platform/system-error.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Context } from '../config/context.ts';
import { requireReplaceable } from '../config/output-conflicts.ts';

/** The fields of saved facts that are known before anything is observed. */
export type SnapshotHeader = Pick<Snapshot, 'target' | 'seenAt' | 'origins' | 'appEntry' | 'attestations'>;

/** Saved facts, written app by app during observation, so memory use does not depend on the registry's size. */
export interface SnapshotWriter {
  /** Writes a part of an observation; those of a service are not saved. */
  add(part: FactsPart): void;
  /**
   * Renames the completed file to its final path.
   * @param incomplete why the observation is incomplete, or null
   * @param shard the observed shard of the apps
   */
  finish(incomplete: string | null, shard?: Shard | null): void;
  /** Removes the partial file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * @param path absolute; an existing file is replaced atomically
 * @param conceal removes secrets from a text
 */
export function writeSnapshot(path: string, head: SnapshotHeader, conceal: (text: string) => string): SnapshotWriter {
  const file = openPartFile(path);
  let apps = 0;
  let limited: readonly HostFacts[] = [];
  let against: ComparedState | null = null;

  const json = (value: unknown): string => factsJson(value, conceal);
  const member = (name: keyof SnapshotHeader, value: unknown): string =>
    value === undefined ? '' : `,"${name}":${json(value)}`;
  file.write(
    `{"snapshot":1,"target":${json(head.target)},"seenAt":${json(head.seenAt)},"origins":${json(head.origins)}${member('appEntry', head.appEntry)}${member('attestations', head.attestations)}`,
  );

  return {
    add(part) {
      if (part.kind === 'manifest') file.write(`,\n"manifest":${json(part.facts)},\n"apps":[`);
      else if (part.kind === 'app') file.write(`${apps++ === 0 ? '\n' : ',\n'}${json(part.facts)}`);
      else if (part.kind === 'hosts') limited = part.facts;
      else if (part.kind === 'against') against = part.facts;
    },
    finish(incomplete, shard = null) {
      if (!file.isOpen) return;
      const more = [
        ...(shard === null ? [] : [`,"shard":${json(shard)}`]),
        ...(limited.length === 0 ? [] : [`,"hosts":${json(limited)}`]),
        ...(against === null ? [] : [`,"against":${json(against)}`]),
      ];
      file.write(`\n],"orphans":[],"incomplete":${json(incomplete)}${more.join('')}}\n`);
      file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/** The file of --save; null without one. @throws AppregError if it cannot be created */
export function openSavedFacts(
  { cwd }: Pick<Context, 'cwd'>,
  save: string | undefined,
  { header, conceal }: { header: SnapshotHeader; conceal(text: string): string },
): SnapshotWriter | null {
  return save === undefined ? null : writeSnapshot(resolve(cwd, save), header, (text) => conceal(text));
}

/** Facts as JSON without secrets, as written to any file. */
export function factsJson(value: unknown, conceal: (text: string) => string): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'string' ? conceal(redactInPlace(item)) : item));
}

/** A new file that only its owner may read. It has its final path once it is complete. */
export interface PartFile {
  /** False after `finish` or `abandon`. */
  readonly isOpen: boolean;
  /** @throws AppregError `output-unwritable`, as `finish` does; the file is removed then */
  write(text: string): void;
  /** Renames the file to its final path, replacing an existing one. */
  finish(): void;
  /** Removes the file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * Opens the file. A device or a pipe is written to, and not replaced.
 * @param path absolute; the final path
 * @throws AppregError `output-unwritable` if the file cannot be created, `option-conflict` for one of a workspace,
 * `option-invalid` for -, which is stdout elsewhere
 */
export function openPartFile(path: string): PartFile {
  if (basename(path) === '-')
    throw new AppregError(
      'option-invalid',
      message`Facts cannot be written to stdout, which is for the result itself.`,
      message`Give a file instead of -.`,
    );
  requireReplaceable(path, 'saved facts');
  const isReplaced = !isDevice(path);
  const part = isReplaced ? `${path}.${process.pid}.part` : path;
  const file = open(part, path, isReplaced ? 'wx' : 'w');
  let isOpen = true;

  function close(): boolean {
    if (!isOpen) return false;
    isOpen = false;
    closeSync(file);
    return true;
  }

  return {
    get isOpen() {
      return isOpen;
    },
    write(text) {
      const bytes = Buffer.from(text);
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      } catch (error) {
        this.abandon();
        throw notSaved(path, error);
      }
    },
    finish() {
      if (!close() || !isReplaced) return;
      try {
        renameSync(part, path);
      } catch (error) {
        rmSync(part, { force: true });
        throw notSaved(path, error);
      }
    },
    abandon() {
      if (close() && isReplaced) rmSync(part, { force: true });
    },
  };
}

function open(part: string, path: string, flags: 'w' | 'wx'): number {
  if (isFolder(path)) throw unwritable(path, 'it is a folder', null);
  try {
    return openSync(part, flags, 0o600);
  } catch (error) {
    throw systemErrorCode(error) === 'ENOENT'
      ? unwritable(path, 'its folder does not exist', error)
      : notSaved(path, error);
  }
}

/** True for a device or a pipe; for a path that cannot be read, opening the file reports the reason. */
function isDevice(path: string): boolean {
  try {
    const old = statSync(path);
    return !old.isFile() && !old.isDirectory();
  } catch {
    return false;
  }
}

/** A path that cannot be read is not one: opening the file reports the reason. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** An error of the system with its reason, without the name of the part file; any other error is returned unchanged. */
function notSaved(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || systemErrorCode(error) === null) return error;
  return unwritable(path, error.message.replace(/, \w+(?: '.*')?$/s, ''), error);
}

function unwritable(path: string, reason: string, cause: unknown): AppregError {
  return new AppregError(
    'output-unwritable',
    message`The facts cannot be saved as ${path}: ${reason}.`,
    systemErrorCode(cause) === 'ENOSPC'
      ? message`Free some space.`
      : message`Give a file in an existing, writable folder.`,
    { cause },
  );
}
