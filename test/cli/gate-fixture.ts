import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import { commitAll, folder, git } from '../support/folders.ts';

/** Repositories with a registry, as pull requests change them. */

export const BASE = 'https://apps.example.com/';

export const entry = (key: string, base = BASE): object => ({
  name: key,
  description: 'Does a thing.',
  blockStyle: { iconUrl: `${base}apps/${key}/icon.svg`, color: '#112233' },
  appMetadataUrl: `${base}apps/${key}/versions.json`,
});

export const manifestOf = (keys: readonly string[], base = BASE): object => ({
  apps: Object.fromEntries(keys.map((key) => [key, entry(key, base)])),
});

export function versions(key: string, ...numbers: string[]): object {
  return {
    versions: numbers.map((version) => ({
      version,
      artifactUrl: `${BASE}apps/${key}/versions/${version}.tar.gz`,
      artifactChecksum: `sha256:${Buffer.from(`${key} ${version}`.padEnd(32, '.')).toString('hex')}`,
    })),
  };
}

/** A registry of two apps, with two versions each. @param at its folder: `''`, or with a slash at the end */
export function registryFiles(at = '', config: object = {}): Record<string, unknown> {
  return {
    [`${at}appreg.config.json`]: { baseUrl: BASE, ...config },
    [`${at}registry.json`]: manifestOf(['a', 'b']),
    [`${at}apps/a/versions.json`]: versions('a', '1.0.0', '1.1.0'),
    [`${at}apps/b/versions.json`]: versions('b', '2.0.0', '2.1.0'),
  };
}

/** A repository whose branch `main` has the files, with a branch of a pull request checked out. */
export function pullRequest(files: Record<string, unknown> = registryFiles()): string {
  const root = folder(files);
  git(root, 'init', '--quiet', '--initial-branch=main');
  commitAll(root, 'published');
  git(root, 'checkout', '--quiet', '-b', 'change');
  return root;
}

export interface Linted {
  code: number;
  outcome: string;
  /** `rule app version` of the findings. */
  found: string[];
  /** The reasons of what was not compared, as the report has them. */
  notCompared: string[];
  log: string[];
  report: Report;
  /** The error that ended the run; null for none. */
  error: { code: string; message: string; hint: string } | null;
}

/** `appreg lint [path] --against <where>`, run in a folder. */
export async function lintAgainst(
  cwd: string,
  against: string,
  { paths = [], config = null }: { paths?: string[]; config?: string | null } = {},
): Promise<Linted> {
  const context = cliContext({ cwd, options: { format: 'json' }, config: (from = cwd) => configAt(from, config, {}) });
  let code: number;
  let error: Linted['error'] = null;
  try {
    code = await runLint(context, paths, { against });
  } catch (thrown) {
    if (!isAppregError(thrown)) throw thrown;
    ({ exit: code } = thrown);
    error = { code: thrown.code, message: thrown.message, hint: thrown.hint };
  }
  const report: Report = JSON.parse(context.printed.out.join('\n'));
  return {
    code,
    error,
    report,
    outcome: report.outcome,
    found: report.findings.map(({ rule, app, version }) => [rule, app, version].filter(Boolean).join(' ')),
    notCompared: report.notJudged.filter((one) => one.code === 'not-compared').map(({ reason }) => reason),
    log: context.printed.log,
  };
}
