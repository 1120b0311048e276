import { runDiagnose, type DiagnoseOptions } from '../../src/cli/commands/diagnose.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { type VerifyFixture, verifyFixture } from './verify-fixture.ts';

/** A live registry, and `diagnose` in a folder with the certificate of the host's authority. */
export interface DiagnoseFixture {
  registry: VerifyFixture;
  diagnosed(
    where: string,
    options?: DiagnoseOptions,
    globals?: GlobalOptions,
    env?: NodeJS.ProcessEnv,
  ): Promise<{ code: number; out: string }>;
  reported(where: string, options?: DiagnoseOptions, env?: NodeJS.ProcessEnv): Promise<Report>;
  /** An entry of the manifest. */
  app(key: string, more?: object): object;
}

/** To be called once at the top of a test file. */
export function diagnoseFixture(): DiagnoseFixture {
  const registry = verifyFixture();
  const diagnosed: DiagnoseFixture['diagnosed'] = async (where, options = {}, globals = {}, env = {}) => {
    const trusted = where.startsWith('https') ? { ca: 'ca.pem' } : {};
    const context = cliContext({ cwd: registry.folder, options: { rule: ['tls-expiring=off'], ...globals }, env });
    const code = await runDiagnose(context, where, { ...trusted, ...options });
    return { code, out: context.printed.out.join('\n') };
  };
  return {
    registry,
    diagnosed,
    async reported(where, options, env) {
      return JSON.parse((await diagnosed(where, options, { format: 'json' }, env)).out) as Report;
    },
    app: (key, more = {}) => ({
      name: key,
      description: 'x',
      blockStyle: { iconUrl: `${registry.host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${registry.host.origin}/${key}.json`,
      ...more,
    }),
  };
}

/** The line of an output that begins so. */
export function line(text: string, start: string): string {
  return text.split('\n').find((one) => one.trim().startsWith(start)) ?? `no line begins with ${start}`;
}
