import type { DocumentContent } from '../../core/json/content.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { parseDocument } from '../../core/json/json.ts';
import type { ConfigReader, RegistrySettings } from '../../observe/baseline/base-registry.ts';
import { CODE_FILES, CONFIG_FILES, formOf } from './find.ts';
import { yamlReader } from './read.ts';
import { settingViolations } from './rules.ts';
import type { Config } from './type.ts';
import { validateConfig } from '../../core/generated/config.js';

/** Configurations of a baseline. Loaded if there is one. */

/** The settings of a baseline's configuration. */
export interface BaseSettings extends RegistrySettings {
  name: string;
  /** Null for a configuration that is code, which is never executed, and for one that is invalid. */
  config: Config | null;
}

/**
 * Reads configurations of a baseline as data. One that is code, or that is invalid, has no settings; it never throws,
 * since a change may correct it.
 * @param env for `${NAME}` in the base URL
 */
export async function baseConfigReader(env: NodeJS.ProcessEnv): Promise<ConfigReader<BaseSettings>> {
  const yamlValue = await yamlReader();
  return {
    names: [...CONFIG_FILES.keys(), ...CODE_FILES],
    read(name, content) {
      const value = valueOf(name, content, yamlValue);
      if (value === undefined) return null;
      return {
        name,
        manifest: textOf(value, 'manifest'),
        baseUrl: withVariables(textOf(value, 'baseUrl'), env),
        config: isValid(value) ? value : null,
      };
    },
  };
}

/** The value of a configuration; null for one that cannot be read, undefined for a package.json that is none. */
function valueOf(name: string, content: DocumentContent, yamlValue: (path: string, text: string) => unknown): unknown {
  const form = formOf(name);
  if (form === 'package') return fieldOf(parseDocument(content).value, 'appreg');
  if (form === 'json') return parseDocument(content).value ?? null;
  if (form !== 'yaml' || content.text === null) return null;
  try {
    return yamlValue(name, content.text);
  } catch (error) {
    if (isAppregError(error)) return null;
    throw error;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function textOf(value: unknown, name: string): string | null {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : null;
}

/** Null if a variable is not set. */
function withVariables(text: string | null, env: NodeJS.ProcessEnv): string | null {
  const filled = text?.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (reference, name: string) => env[name] ?? reference);
  return filled === undefined || filled.includes('${') ? null : filled;
}

function isValid(value: unknown): value is Config {
  return validateConfig(value) && settingViolations(value).length === 0;
}
