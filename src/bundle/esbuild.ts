import { message } from '../core/text/message.ts';
import type { BuildFailure } from 'esbuild';
import { safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { type BundlerOptions, type Built, buildNative } from './native.ts';
import { refusingPipes } from './pipe-watch.ts';

/**
 * Builds with the installed esbuild; writes nothing.
 * @throws AppregError if esbuild cannot be loaded or started, or does not know the target; errors in the code are
 * returned
 */
export async function build(options: BundlerOptions): Promise<Built> {
  return refusingPipes(options.absWorkingDir, run(options));
}

async function run(options: BundlerOptions): Promise<Built> {
  // Builds for browsers usually emit CSS as a second file.
  const built = options.platform === 'browser' ? null : await buildNative(options);
  if (built !== null) return built;
  const esbuild = await load();
  try {
    const settings = { ...options, write: false, metafile: true, logLevel: 'silent' } as const;
    const result = await withoutCollector(() => esbuild.build(settings));
    return {
      files: result.outputFiles ?? [],
      errors: [],
      warnings: result.warnings,
      metafile: result.metafile,
      version: esbuild.version,
    };
  } catch (error) {
    const errors = isBuildFailure(error) ? error.errors : [];
    const summary = error instanceof Error ? error.message : String(error);
    const first = errors[0]?.text ?? summary;
    if (/^Invalid (target|version)/.test(first)) {
      throw new AppregError(
        'build-target-unknown',
        message`esbuild does not support the target: ${first}`,
        message`Use a target such as node22, node20.19 or es2022.`,
        { cause: error },
      );
    }
    if (isBuildFailure(error) && errors.length > 0)
      return { files: [], errors, warnings: error.warnings, metafile: null, version: esbuild.version };
    if (/service|binary|host version|esbuild" package|could not be found|platform/i.test(summary))
      throw unusable(error);
    throw error;
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) && 'warnings' in error;
}

/**
 * esbuild's command line disables garbage collection, but the service behind its API does not, which costs a fifth of
 * the total time. The service reads its environment when the first build starts it; the limit bounds its memory in
 * long-running programs.
 */
function withoutCollector<T>(start: () => T): T {
  const { env } = process;
  if (env['GOGC'] !== undefined || env['GOMEMLIMIT'] !== undefined) return start();
  env['GOGC'] = 'off';
  env['GOMEMLIMIT'] = '1GiB';
  try {
    return start();
  } finally {
    delete env['GOGC'];
    delete env['GOMEMLIMIT'];
  }
}

async function load(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(cause: unknown): AppregError {
  const summary = cause instanceof Error ? cause.message : String(cause);
  return new AppregError(
    'esbuild-unusable',
    message`esbuild (which compiles the code) does not work on this system: ${safeExcerpt(summary.split('\n')[0] ?? '', 300)}`,
    message`Reinstall it for this system, in the folder where appreg is installed: npm install --force esbuild`,
    { cause },
  );
}
