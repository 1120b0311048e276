import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { workspaceFiles } from '../../author/workspace-files.ts';
import { printable, safeJson } from '../../core/text.ts';
import { VERSION } from '../../core/tool.ts';
import { Trouble } from '../../core/trouble.ts';
import { asBase } from '../../observe/places.ts';
import { carryOut } from '../../publish/carry-out.ts';
import { planFiles } from '../../publish/new-files.ts';
import { openDirectory } from '../../store/directory.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { wantsJson } from '../format.ts';
import { answersTo } from '../prompts.ts';
import { BASE_URL, CI, MANIFEST, ORIGIN, STORE } from '../questions.ts';
import { refuseStore } from '../workspace.ts';

interface Options extends GlobalOptions {
  baseUrl?: string;
  manifest?: string;
  serviceOrigin?: string[];
  store?: string;
  ci?: string;
}

/** `appreg init [dir]`: scaffolds a workspace. Nothing that is there is overwritten. */
export async function init(context: Context, dir: string | undefined, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const json = wantsJson('init', options.format);
  const {
    manifest = 'registry.json',
    store: type = 'directory',
    ci = 'none',
    serviceOrigin: serviceOrigins = [],
  } = options;
  const origins = serviceOrigins.map(() => ORIGIN);
  const answers = await answersTo(
    terminal,
    [BASE_URL, MANIFEST, STORE, CI, ...origins],
    [options.baseUrl, manifest, type, ci, ...serviceOrigins],
  );
  if (answers === null) return 130;
  refuseStore(type);
  const baseUrl = asBase(answers[0]!);
  if (dir === '')
    throw new Trouble('folder-name', 'The name of the folder is empty.', 'Leave it out for the current folder.');
  const root = resolve(cwd, dir ?? '.');

  const files = workspaceFiles({
    manifest,
    baseUrl,
    serviceOrigins,
    ci: ci as 'github' | 'gitlab' | 'none',
    appreg: VERSION,
  });
  const store = openDirectory(root);
  const plan = await planFiles(store, files);
  await carryOut(plan, store);

  const created = new Set(plan.steps.map((step) => step.path));
  const results = files.map(({ path }) => ({ path, status: created.has(path) ? 'created' : 'unchanged' }));
  if (json)
    terminal.out(
      safeJson({ root, manifest, baseUrl, manifestUrl: baseUrl + encodeURIComponent(manifest), files: results }),
    );
  else for (const { path, status } of results) terminal.out(`${status} ${printable(join(relative(cwd, root), path))}`);
  if (baseUrl.startsWith('http:'))
    terminal.log(`${baseUrl} is good for trying things out; subscribers need an https address.`);
  if (ci !== 'none' && !existsSync(join(root, '.git')))
    terminal.log('The CI file works at the top of a git repository; this folder is none yet.');
  const there = relative(cwd, root);
  terminal.next(`${there === '' ? '' : `cd ${printable(there)} && `}appreg add-app <key>`);
  return 0;
}
