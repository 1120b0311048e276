import { message, safe } from '../../../core/text/message.ts';
import { type FixedFile, fixFiles } from '../../../workspace/fix.ts';
import type { BaselineOption } from '../../check/baseline.ts';
import type { Terminal } from '../../io/terminal.ts';
import type { ReadyTarget } from './targets.ts';

/** `lint --fix`. */

/** Corrects what has only one possible correction, and says what that was, or that there was nothing of this kind. */
export async function fixTargets(terminal: Terminal, targets: readonly ReadyTarget[]): Promise<void> {
  let files = 0;
  for (const { target, against } of targets)
    await fixFiles(target, (file) => {
      files += 1;
      printFixed(terminal, file, against);
    });
  if (files === 0) terminal.log(message`Nothing was corrected: no problem has exactly one possible correction.`);
}

/** Says what was corrected in a file, and which corrections affect published versions. */
function printFixed({ log }: Terminal, { path, app, fixes, refused }: FixedFile, against: BaselineOption): void {
  if (refused !== null) log(message`${path}: not fixed. ${safe(refused)}`);
  else if (fixes === null)
    log(message`${path}: not fixed, because another process changed it in the meantime; run appreg lint --fix again`);
  for (const { pointer, what, version } of fixes ?? []) {
    const touched = version !== null && wasPublished(against, app, version);
    log(
      message`${path}${pointer === '' ? '' : ` ${pointer}`}: ${what}${touched ? ' — this version is already published' : ''}`,
    );
  }
}

function wasPublished(against: BaselineOption, app: string | null, version: string): boolean {
  const versions = against.versions ?? (app === null ? null : against.registry?.app(app));
  return Array.isArray(versions) && versions.some((entry) => entry.version === version);
}
