import { pathOf } from '../json/violations.ts';
import { pointerTo } from '../json/pointer.ts';
import type { FileOfApp, NotBlank } from '../values/scalars.ts';

/** Options of a build, in all places where they can be written, and how those of several places are combined. */

/**
 * A file, or a folder with all of its files, and where it is in the archive.
 *
 * @discriminator from
 */
export interface PlacedFile {
  /** Relative to the folder of the entry point. One that begins with node_modules/ is also found in the folders above it. */
  from: NotBlank;
  /** The path in the archive. */
  to: FileOfApp;
}

/** Options of a build: the same in the configuration, in an item of `release`, in an app.json and as flags. */
export interface BuildSettings {
  /** Packages that are not bundled, in addition to `@slflows/sdk` and `*.node`. */
  external?: readonly string[];
  /**
   * Files to pack with the code: globs relative to the folder of the entry point, or a file or folder and its path in the
   * archive. Not needed for a folder.
   */
  include?: readonly (string | PlacedFile)[];
  /** The form in which files that the code imports are given to it, by the end of their name, such as .sql: text, bytes (a Uint8Array), or the path of a file in the archive. */
  loader?: Record<string, 'text' | 'bytes' | 'file'>;
  /** Names in the code, and what replaces them: JSON, or a name. */
  define?: Record<string, string>;
  /** Conditions for the exports of packages, in addition to those of the platform. */
  conditions?: readonly NotBlank[];
  /** The target of app.js in esbuild's notation; default node22. */
  target?: string;
  minify?: boolean;
  /** Embeds the source map in the code. */
  sourcemap?: boolean;
}

const NAMES: Record<keyof BuildSettings, true> = {
  external: true,
  include: true,
  loader: true,
  define: true,
  conditions: true,
  target: true,
  minify: true,
  sourcemap: true,
};
/** The names of the options. */
export const BUILD_OPTIONS = Object.keys(NAMES) as (keyof BuildSettings)[];

/** Options, and where they are written. */
export interface WrittenSettings {
  settings: BuildSettings;
  /** By the JSON Pointer of a value in the settings: words for messages, such as `--target`, or `app.json:3:13: target`. */
  places: ReadonlyMap<string, string>;
}

/** The options among the members of an object. */
export function buildSettingsIn(object: BuildSettings): BuildSettings {
  const given = BUILD_OPTIONS.filter((name) => object[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, object[name]]));
}

/** The JSON Pointers of the values of options: of each element of a list, and of each member of an object. */
export function pointersOf(settings: BuildSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? Object.keys(value).map((key) => pointerTo(name, key))
      : [pointerTo(name)],
  );
}

/**
 * Options in a file.
 * @param object with the options, and possibly other members
 * @param pointer of the object in the file
 * @param positions of values, as `file:line:column`, by their JSON Pointers in the file
 */
export function writtenIn(
  object: BuildSettings,
  pointer: string,
  positions: ReadonlyMap<string, string>,
): WrittenSettings {
  const settings = buildSettingsIn(object);
  const places = pointersOf(settings).map((one) => {
    const position = positions.get(pointer + one);
    return [one, position === undefined ? pathOf(pointer + one) : `${position}: ${optionOf(one)}`] as const;
  });
  return { settings, places: new Map(places) };
}

/**
 * Combines the options of several places: lists are joined, objects are merged, and of other values the last one counts.
 * @param layers those that count most come last
 */
export function mergeSettings(layers: readonly WrittenSettings[]): WrittenSettings {
  const settings: Record<string, unknown> = {};
  const places = new Map<string, string>();
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer.settings)) {
      const before = settings[name];
      const offset = Array.isArray(before) ? before.length : 0;
      if (Array.isArray(value)) settings[name] = [...(Array.isArray(before) ? before : []), ...value];
      else settings[name] = typeof value === 'object' ? { ...Object(before ?? {}), ...value } : value;
      for (const one of pointersOf({ [name]: value })) {
        const moved = Array.isArray(value) ? pointerTo(name, offset + Number(one.split('/').at(-1))) : one;
        places.set(moved, layer.places.get(one) ?? optionOf(one));
      }
    }
  return { settings, places };
}

/** Words for a value in messages: where it is written, or the name of its option. */
export function placeOf(places: ReadonlyMap<string, string> | undefined, ...steps: (string | number)[]): string {
  const pointer = pointerTo(...steps);
  return places?.get(pointer) ?? optionOf(pointer);
}

function optionOf(pointer: string): string {
  return pointer.split('/')[1] ?? '';
}
