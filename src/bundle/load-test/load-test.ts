import { AppregError } from '../../core/errors/error.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { otherRuntime } from '../../platform/runtime.ts';
import type { Bundle } from '../bundle.ts';
import { EXTERNAL } from '../code.ts';
import type { BundleOptions } from '../options.ts';
import { adviceFor, faultText, originText, shownError } from './explain.ts';
import { type Origin, originOf } from './origin.ts';
import { LOADER, type LoadedFile, type LoadRun, MEGABYTES, runLoader, SECONDS } from './run.ts';
import { isExternal, standIns } from './stand-ins.ts';
import { unpack } from './unpack.ts';
import { type Fault, faultOf, isDenied, satisfiesTarget } from './verdict.ts';

/** The result of a load test. */
export interface Loaded {
  /** The names that app.js exports; null if they are not known. */
  exports: string[] | null;
  /** The names that ui.js exports; null if there is none, or if it loads only in a page. */
  uiExports: string[] | null;
  warnings: SafeText[];
}

/** A build that is judged by how its files loaded. */
interface Judged {
  built: Bundle;
  /** Of the build. */
  options: BundleOptions;
  external: readonly string[];
  run: LoadRun;
}

const UI = 'ui.js';

/**
 * Loads what was built as it is where it is installed: unpacked, alone, in a process of its own with the running Node under
 * its permission model. Packages that are external are replaced by stand-ins.
 * @param options of the build
 * @param entry the file of the archive that a service loads
 * @throws AppregError `load-failed` (exit 1) for code that can never be loaded: a file or a package is missing, or a
 *   module is of the wrong kind. What depends on the place where it runs is a warning.
 */
export async function loadTest(built: Bundle, options: BundleOptions, entry = 'app.js'): Promise<Loaded> {
  const files = [entry, UI].filter((path, at, all) => all.indexOf(path) === at && hasEntry(built, path));
  const runtime = otherRuntime();
  if (files[0] !== entry) return { exports: null, uiExports: null, warnings: [] };
  if (runtime !== null) {
    const warning = message`${entry} was not loaded: the load test needs Node.js, and this is ${runtime}`;
    return { exports: null, uiExports: null, warnings: [warning] };
  }
  const external = [...EXTERNAL, ...(options.external ?? [])];
  const contents = unpack(built.archive);
  const code = contents.filter(({ path }) => files.includes(path)).map(({ bytes }) => Buffer.from(bytes).toString());
  const packages = standIns(built.external.keys(), external, code, LOADER);
  const run = await runLoader(contents, packages, files);
  const loaded = (path: string): LoadedFile | undefined => run.files.find(({ file }) => file === path);
  const [app, ui] = [loaded(entry), entry === UI ? undefined : loaded(UI)];
  const judged = { built, options, external, run };
  const warning = app === undefined ? unfinished(entry, run) : await judgeApp(app, judged);
  if (ui !== undefined) await judgeUi(ui, judged);
  return {
    exports: app?.exports ?? null,
    uiExports: ui?.exports ?? null,
    warnings: warning === null ? [] : [warning],
  };
}

function hasEntry({ entries }: Bundle, path: string): boolean {
  return entries.some((one) => one.path === path);
}

function unfinished(file: string, { stopped }: LoadRun): SafeText {
  if (stopped === 'timeout') return message`loading ${file} takes more than ${SECONDS} seconds; it was not judged`;
  if (stopped === null) return message`loading ${file} ended its process; it was not judged`;
  return message`loading ${file} ended by ${stopped}; it was not judged (its memory is limited to ${MEGABYTES} MB)`;
}

/** @returns a warning; null for a file that was loaded */
async function judgeApp(app: LoadedFile, judged: Judged): Promise<SafeText | null> {
  const { file, exit, errors } = app;
  if (exit !== null) return message`${file} ends the process (exit code ${exit}) while it is loaded`;
  if (errors === null) return null;
  const { folder } = judged.run;
  const [first] = errors;
  const fault = foundFault(app, judged);
  const origin = await whereFrom(app, fault, judged);
  const place = originText(origin, judged);
  const from = safe(place === '' ? '' : message` in ${safe(place)}`);
  if (isDenied(app))
    return message`${file} was only judged up to an access that the load test denies: ${safe(shownError(app, folder))}${from}`;
  const doubt = fault === null ? null : doubtOf(app, judged.options);
  if (fault !== null && doubt === null) throw refusal(file, fault, origin, judged);
  const thrown = message`${file} throws an error while it is loaded: ${safe(shownError(app, folder))}${from}`;
  return doubt === null || first === undefined ? thrown : message`${safe(thrown)}; not refused, since ${safe(doubt)}`;
}

/** Code for pages often needs one. Only a missing file is missing there too. */
async function judgeUi(ui: LoadedFile, judged: Judged): Promise<void> {
  const fault = foundFault(ui, judged);
  if (fault?.kind !== 'file' || isDenied(ui) || doubtOf(ui, judged.options) !== null) return;
  throw refusal(ui.file, fault, await whereFrom(ui, fault, judged), judged);
}

function foundFault(file: LoadedFile, { run, external }: Judged): Fault | null {
  const fault = faultOf(file, run.folder);
  return fault?.kind === 'package' && isExternal(fault.name, external) ? null : fault;
}

/** The reason why a fault may not occur where the code is installed; null for none. */
function doubtOf({ standIn, denied }: LoadedFile, { target = 'node22' }: BundleOptions): SafeText | null {
  const { node } = process.versions;
  if (!satisfiesTarget(target, node)) return message`the code is compiled for ${target}, and this is Node.js ${node}`;
  if (standIn !== null) return message`the stand-in for ${standIn} was called before`;
  return denied === null ? null : message`it was denied before ${denied}`;
}

async function whereFrom({ errors }: LoadedFile, fault: Fault | null, judged: Judged): Promise<Origin | null> {
  const { built, options, run } = judged;
  const isPacked = built.materials === null;
  for (const { stack = '' } of errors ?? []) {
    const origin = await originOf(stack, run.folder, isPacked ? null : options);
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
