import { resolve, sep } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import type { Bundle } from '../bundle.ts';
import type { BundleOptions } from '../options.ts';
import { adviceFor, deniedText, faultText, fromArchive, optionalText, originText, shownError } from './explain.ts';
import { type Origin, originOf } from './origin.ts';
import { type LoadedFile, type LoadRun, MEGABYTES, SECONDS } from './run.ts';
import { isExternal } from './stand-ins.ts';
import { type Fault, faultOf, isDenied, satisfiesTarget } from './verdict.ts';

/** Refusals and warnings about code that was not loaded. */

/** A build that is judged by how its files loaded. */
interface Judged {
  built: Bundle;
  /** Of the build. */
  options: BundleOptions;
  external: readonly string[];
  run: LoadRun;
}

function unfinished(file: string, { stopped }: LoadRun): SafeText {
  if (stopped === 'timeout') return message`loading ${file} takes more than ${SECONDS} seconds; it was not judged`;
  if (stopped === null) return message`loading ${file} ended its process; it was not judged`;
  return message`loading ${file} ended by ${stopped}; it was not judged (its memory is limited to ${MEGABYTES} MB)`;
}

/**
 * Judges how app.js was loaded.
 * @param app undefined if its process was ended before it reported
 * @returns a warning; null for a file that was loaded
 * @throws AppregError `load-failed`
 */
export async function judgeApp(file: string, app: LoadedFile | undefined, judged: Judged): Promise<SafeText | null> {
  if (app === undefined) return unfinished(file, judged.run);
  const { exit, errors } = app;
  if (exit !== null) return message`${file} ends the process (exit code ${exit}) while it is loaded`;
  if (errors === null) return null;
  const { folder } = judged.run;
  const fault = foundFault(app, judged);
  const doubt = fault === null ? null : doubtOf(fault, app, judged);
  if ((doubt !== null || isDenied(app)) && isKnownMissing(app, fault, judged)) return null;
  const origin = await whereFrom(app, fault, judged);
  const place = originText(origin, judged);
  const from = safe(place === '' ? '' : message` in ${safe(place)}`);
  if (isDenied(app))
    return message`${file} tried ${safe(deniedText(app, folder))}${from}; the load test denies that, and judges nothing after it`;
  if (fault !== null && doubt === null) throw refusal(file, fault, origin, judged);
  const thrown = message`${file} throws an error while it is loaded: ${safe(shownError(app, folder))}${from}`;
  if (fault === null) {
    const before =
      app.denied === null ? '' : message`, after the load test denied it ${fromArchive(app.denied, folder)}`;
    return message`${safe(thrown)}${safe(before)}${safe(optionalText(origin, judged))}`;
  }
  return doubt === null ? thrown : message`${safe(thrown)}; not refused, since ${safe(doubt)}`;
}

/**
 * Judges how ui.js was loaded: much code for pages only loads in one, but a missing file is missing there too.
 * @throws AppregError `load-failed`
 */
export async function judgeUi(ui: LoadedFile, judged: Judged): Promise<void> {
  const fault = foundFault(ui, judged);
  if (fault?.kind !== 'file' || isDenied(ui) || doubtOf(fault, ui, judged) !== null) return;
  throw refusal(ui.file, fault, await whereFrom(ui, fault, judged), judged);
}

function foundFault(file: LoadedFile, { run, external }: Judged): Fault | null {
  const fault = faultOf(file, run.folder);
  return fault?.kind === 'package' && isExternal(fault.name, external) ? null : fault;
}

/** True if a warning of the build names the file that is missing, with the correction. */
function isKnownMissing({ errors }: LoadedFile, fault: Fault | null, { built, run }: Judged): boolean {
  const needed = built.missing.flatMap(({ target, isOptional }) => (target === null || isOptional ? [] : [target]));
  if (fault?.kind === 'file') return needed.includes(fault.path);
  const { resource } = errors?.find(({ permission }) => permission === 'FileSystemRead') ?? {};
  const paths = needed.map((target) => resolve(run.folder, target));
  return paths.some((path) => resource === path || resource?.startsWith(path + sep) === true);
}

/** The reason why a fault may not occur where the code is installed; null for none. */
function doubtOf({ kind }: Fault, { standIn, denied }: LoadedFile, { options, run }: Judged): SafeText | null {
  const { target = 'node22' } = options;
  const { node } = process.versions;
  // A later version loads modules of the other kind; what is missing is missing for every version.
  if (kind === 'module-kind' && !satisfiesTarget(target, node))
    return message`the code is compiled for ${target}, and this is Node.js ${node}`;
  if (standIn !== null) return message`the stand-in for ${standIn} was called before`;
  return denied === null ? null : message`it was denied before ${fromArchive(denied, run.folder)}`;
}

async function whereFrom({ errors }: LoadedFile, fault: Fault | null, judged: Judged): Promise<Origin | null> {
  const { built, options, run } = judged;
  const isPacked = built.materials === null;
  for (const { stack = '' } of errors ?? []) {
    const origin = await originOf(stack, run.folder, isPacked ? null : options, built.modules);
    if (origin !== null) return origin;
  }
  const path = fault === null ? undefined : importerOf(fault, built);
  return path === undefined ? null : { path, line: null };
}

/** A file that imports what is missing: an import that is resolved before any code runs has no stack. */
function importerOf(fault: Fault, { external }: Bundle): string | undefined {
  const name = fault.kind === 'file' ? `./${fault.path}` : fault.kind === 'package' ? fault.name : '';
  return external.get(name)?.[0];
}

function refusal(file: string, fault: Fault, origin: Origin | null, judged: Judged): AppregError {
  return new AppregError(
    'load-failed',
    message`${file} cannot be loaded where it is installed: ${safe(faultText(fault, origin, judged))}.`,
    adviceFor(fault, origin, judged),
    { effect: 'none' },
  );
}
