import { message } from '../../core/text/message.ts';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle as build, type BundleOptions } from '../../bundle/bundle.ts';
import { grouped, printable } from '../../core/text/text.ts';
import type { Severity } from '../../core/values/severity.ts';
import { AppregError } from '../../core/errors/error.ts';
import { billWish, packageSettings } from '../../release/repository.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import type { bundleCommand } from '../define/bundle.ts';
import { quotedPath } from '../io/shown-path.ts';

type Options = OptionsOf<typeof bundleCommand>;

/** The severities that differ from those of the rules. All rules are loaded for them: longer than a small bundle takes. */
async function requestedSeverities(context: Context, loaded: LoadedConfig): Promise<Record<string, Severity | 'off'>> {
  const { rules, exceptions } = loaded.config;
  if (rules === undefined && exceptions === undefined && context.options.rule === undefined) return {};
  const { severitiesOf } = await import('../config/rules.ts');
  return severitiesOf(context, loaded);
}

/** The secrets that the configuration allows in any artifact: that of an app that is not known here. */
async function exceptedIn({ exceptions }: LoadedConfig['config']): Promise<string[]> {
  if (exceptions === undefined) return [];
  const { exceptedSecrets } = await import('../../publish/excepted-secrets.ts');
  return exceptedSecrets(exceptions, { app: null, version: null, now: new Date().toISOString() });
}

/** `appreg bundle <entry> <output>`: builds, then writes the archive atomically. */
export async function runBundle(context: Context, entry: string, output: string, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const target = outputFile(cwd, output);
  const allowed =
    options.allowSecret === undefined ? [] : (await import('../check/allowed-secrets.ts')).allowedSecrets(options);
  const loaded = await context.config();
  const { config } = loaded;
  const severities = await requestedSeverities(context, loaded);
  const settings = config.bundle ?? {};
  const request: BundleOptions = {
    entry: resolve(cwd, entry),
    external: [...(settings.external ?? []), ...(options.external ?? [])],
    include: [...(settings.include ?? []), ...(options.include ?? [])],
    target: options.target ?? settings.target ?? 'node22',
    minify: options.minify ?? false,
    sourcemap: options.sourcemap ?? false,
    ...packageSettings(settings, options),
    leaveOut: target,
    cwd,
  };
  if (options.ui !== undefined) request.ui = resolve(cwd, options.ui);

  const progress = terminal.progress(message`building ${entry}`);
  const building = build(request).finally(() => progress.stop());
  // Loaded while the code is built.
  const [built, { checkArchive, writeFiles }] = await Promise.all([building, import('./bundle/finish.ts')]);
  const { archive, checksum, tarSha256, entries, warnings } = built;
  const wish = billWish(options, config);
  const bill = wish === 'none' ? null : (await import('../../release/bill.ts')).billFor(built, output, wish);
  const content = {
    severities,
    appEntry: config.artifact?.entry ?? null,
    allowedSecrets: allowed,
    exceptedSecrets: await exceptedIn(config),
    anyContent: options.anyContent === true,
  };
  warnings.push(...(await checkArchive(built, cwd, content)));
  await writeFiles(target, archive, bill && { path: resolve(cwd, bill.path), bytes: bill.bytes });

  for (const warning of warnings) terminal.log(message`warning: ${warning}`);
  const sbom = bill && { path: bill.path, bytes: bill.bytes.length };
  const width = Math.max(...entries.map((one) => grouped(one.size).length));
  printResult<'bundle'>(context, {
    pretty: (style) =>
      [
        `${style.bold(printable(output))}  ${grouped(archive.length)} bytes`,
        ...entries.map(({ path, size }) => `  ${grouped(size).padStart(width)}  ${printable(path)}`),
        checksum,
        ...(sbom === null ? [] : [`${printable(sbom.path)}  ${grouped(sbom.bytes)} bytes`]),
      ].join('\n'),
    json: () => ({
      path: output,
      bytes: archive.length,
      entries,
      checksum,
      tarSha256,
      warnings,
      ...(sbom !== null && { sbom }),
    }),
  });
  terminal.next(message`appreg publish-version <app> <version> --artifact ${quotedPath(printable(output))}`);
  return 0;
}

function outputFile(cwd: string, output: string): string {
  const file = resolve(cwd, output);
  if (!file.endsWith('.tar.gz') || file.endsWith('/.tar.gz') || file.endsWith('\\.tar.gz')) {
    throw new AppregError(
      'option-invalid',
      message`The output ${output} does not end in .tar.gz.`,
      message`Use a name such as dist/my-app-1.0.0.tar.gz.`,
    );
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new AppregError(
      'option-invalid',
      message`The output ${output} is a folder.`,
      message`Give a file name in that folder.`,
    );
  }
  return file;
}
