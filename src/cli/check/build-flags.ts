import { AppregError } from '../../core/errors/error.ts';
import {
  type BuildSettings,
  buildSettingsIn,
  pointersOf,
  type WrittenSettings,
} from '../../core/release/build-settings.ts';
import { message } from '../../core/text/message.ts';
import { pointerSteps } from '../../core/json/pointer.ts';
import type { LoadedConfig } from '../config/config.ts';
import { buildFlags } from '../define/build-flags.ts';
import { flagOf, type OptionValues } from '../define/command.ts';
import { buildSettingsOf } from '../../release/find-apps.ts';
import { buildOptions } from '../../release/repository.ts';

/** The options of a build as flags, and with those of the configuration. */

type BuildFlags = OptionValues<typeof buildFlags>;

/** The flags of a build that are given. */
export function givenBuildFlags(options: BuildFlags): string[] {
  return names(options).map((name) => flagOf(buildFlags[name]));
}

/**
 * The options for the build of one app: of the configuration, of its item of `release`, of its app.json and of flags.
 * @param wanted the key of the app, or the entry point, absolute
 * @throws AppregError (exit 2) for a flag of another form
 */
export async function optionsForBuild(
  { config, root, positions }: Pick<LoadedConfig, 'config' | 'root' | 'positions'>,
  wanted: { key: string } | { file: string },
  options: BuildFlags & { notices?: boolean },
): Promise<ReturnType<typeof buildOptions>> {
  const known = await positions();
  const ofApp = await buildSettingsOf(root, config.release ?? [], wanted, known);
  const built = buildOptions(config, known, [...ofApp, settingsOfFlags(options)]);
  return options.notices === false ? { ...built, notices: false } : built;
}

function settingsOfFlags(options: BuildFlags): WrittenSettings {
  const { external, include, loader, define, conditions, target, minify, sourcemap } = options;
  const settings = buildSettingsIn({
    ...(external && { external }),
    ...(include && { include: include.map(included) }),
    // The build checks the forms.
    ...(loader && { loader: pairs(loader, 'loader') as BuildSettings['loader'] & {} }),
    ...(define && { define: pairs(define, 'define') }),
    ...(conditions && { conditions }),
    ...(target !== undefined && { target }),
    ...(minify !== undefined && { minify }),
    ...(sourcemap !== undefined && { sourcemap }),
  });
  const places = pointersOf(settings).map((pointer) => {
    const [name = ''] = pointerSteps(pointer);
    return [pointer, flagOf(buildFlags[name as keyof BuildSettings])] as const;
  });
  return { settings, places: new Map(places) };
}

/** A glob, or a file and its path in the archive, which a colon separates: that is not in the names of packed files. */
function included(text: string): string | { from: string; to: string } {
  const [, from, to] = /^((?![A-Za-z]:[\\/])[^:]+):([^:]+)$/.exec(text) ?? [];
  return from === undefined || to === undefined ? text : { from, to };
}

function pairs(given: readonly string[], name: 'loader' | 'define'): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      const { flags } = buildFlags[name];
      throw new AppregError(
        'option-invalid',
        message`${flagOf({ flags })} has “${text}”, which has no =.`,
        message`Write it as ${flags}.`,
      );
    }),
  );
}

function names(options: BuildFlags): (keyof BuildSettings)[] {
  return (Object.keys(buildFlags) as (keyof BuildSettings)[]).filter((name) => options[name] !== undefined);
}
