import { tmpdir } from 'node:os';
import { message, type SafeText } from '../../core/text/message.ts';
import { otherRuntime } from '../../platform/runtime.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import type { Bundle } from '../bundle.ts';
import { EXTERNAL } from '../code.ts';
import type { BundleOptions } from '../options.ts';
import { loaderProgram, type LoadedFile, type LoadRun, runLoader } from './run.ts';
import { standIns } from './stand-ins.ts';
import { unpack } from './unpack.ts';

/** The result of a load test. */
export interface Loaded {
  /** The names that app.js exports; null if they are not known. */
  exports: string[] | null;
  /** The names that ui.js exports; null if there is none, or if it loads only in a page. */
  uiExports: string[] | null;
  warnings: SafeText[];
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
  if (runtime !== null)
    return notLoaded(message`${entry} was not loaded: the load test needs Node.js, and this is ${runtime}`);
  const external = [...EXTERNAL, ...(options.external ?? [])];
  const contents = unpack(built.archive);
  const code = contents.filter(({ path }) => files.includes(path)).map(({ bytes }) => Buffer.from(bytes).toString());
  const program = loaderProgram();
  const packages = standIns(built.external.keys(), external, code, program);
  let run: LoadRun;
  try {
    run = await runLoader(contents, packages, files, program);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === null) throw error;
    // The temporary folder or the process: nothing is known about the code.
    return notLoaded(message`${entry} was not loaded: a folder below ${tmpdir()} cannot be used for it (${code})`);
  }
  const loaded = (path: string): LoadedFile | undefined => run.files.find(({ file }) => file === path);
  const [app, ui] = [loaded(entry), entry === UI ? undefined : loaded(UI)];
  // Node loads code without exports as a CommonJS module, which has a default.
  const exports = app?.exports && built.exports?.length === 0 ? [] : (app?.exports ?? null);
  const exported = { exports, uiExports: ui?.exports ?? null };
  if (app?.exports && (ui === undefined || ui.exports)) {
    const isKnown = app.exports.length > 0 || built.exports !== null;
    return { ...exported, warnings: isKnown ? [] : [message`${entry} exports nothing; export the app from it`] };
  }
  const { judgeApp, judgeUi } = await import('./judge.ts');
  const judged = { built, options, external, run };
  const warning = await judgeApp(entry, app, judged);
  if (ui !== undefined) await judgeUi(ui, judged);
  return { ...exported, warnings: warning === null ? [] : [warning] };
}

function notLoaded(warning: SafeText): Loaded {
  return { exports: null, uiExports: null, warnings: [warning] };
}

function hasEntry({ entries }: Bundle, path: string): boolean {
  return entries.some((one) => one.path === path);
}
