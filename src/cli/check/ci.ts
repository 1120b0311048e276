import { appendFileSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Report } from '../../core/findings/report.ts';
import { message } from '../../core/text/message.ts';
import { gitRoot } from '../../platform/git-root.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { annotations } from '../../report/github.ts';
import { render } from '../../report/index.ts';
import type { RenderOptions } from '../../report/options.ts';
import type { Context } from '../config/context.ts';

/** Needs of CI systems in addition to a report: paths from the repository's root, annotations, a summary. */

/** The folder of `cwd` below the root of its repository, with `/`; '' at the root, or outside a repository. */
export function folderInRepository(cwd: string, env: NodeJS.ProcessEnv): string {
  const here = realPath(cwd);
  const given = [env['GITHUB_WORKSPACE'], env['CI_PROJECT_DIR']]
    .filter((root) => root !== undefined)
    .filter((root) => root !== '');
  const root = given.map(realPath).find((path) => contains(path, here)) ?? gitRoot(here) ?? here;
  return relative(root, here).split(sep).join('/');
}

function contains(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A missing folder is reported when it is read.
    return path;
  }
}

/**
 * In GitHub Actions, if no format is requested, prints annotations and a job summary in addition to the pretty output.
 */
export function reportToGitHub(context: Context, report: Report, options: RenderOptions): void {
  const { env, terminal } = context;
  if (env['GITHUB_ACTIONS'] !== 'true' || context.options.format !== undefined) return;
  for (const line of annotations(report, options)) terminal.annotate(line);
  const summary = env['GITHUB_STEP_SUMMARY'];
  if (summary === undefined || summary === '') return;
  try {
    appendFileSync(summary, `${render(report, 'markdown', options)}\n\n`);
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown';
    terminal.log(message`No summary was written to ${summary} (GITHUB_STEP_SUMMARY): ${code}`);
  }
}
