import { message } from '../../core/text/message.ts';
import { basename } from 'node:path';
import schema from '../../../schemas/config.schema.json' with { type: 'json' };
import { AppregError } from '../../core/errors/error.ts';
import { type ShapeError, type Violation, violationsOf } from '../../core/json/violations.ts';
import { faultText, positionsInJson, type Position } from '../../core/json/input-file.ts';
import { isShellPipe } from '../../platform/regular-file.ts';
import { settingViolations } from './rules.ts';
import { formOf } from './find-config.ts';
import { configText } from './read-data.ts';

/** The errors of a configuration, with their positions. Loaded lazily. */

/**
 * The error for a configuration that the schema refuses; it names all that is wrong.
 * @param errors of the schema
 * @param raw the configuration without the values of variables, which may be secrets
 */
export async function invalidConfig(path: string, errors: readonly ShapeError[], raw: unknown): Promise<AppregError> {
  const violations = violationsOf(errors, raw, { schema, whole: 'The configuration', member: 'setting' });
  return configError(path, [...violations, ...settingViolations(raw)]);
}

/** @param path of the configuration, absolute; null if the settings are from no file */
export async function configError(path: string | null, violations: readonly Violation[]): Promise<AppregError> {
  const name = path ?? 'The configuration';
  const positions = path === null ? [] : await positionsIn(path, violations);
  const text = faultText(
    name,
    violations.map(({ message }, index) => ({ message, position: positions[index] ?? null })),
  );
  const isAboutRules = violations.every(({ isUnknownRule }) => isUnknownRule === true);
  return isAboutRules
    ? new AppregError('rule-unknown', text, message`appreg rules lists the rules.`)
    : new AppregError('config-invalid', text, message`appreg explain config-invalid describes the settings.`);
}

async function positionsIn(path: string, violations: readonly Violation[]): Promise<Position[]> {
  const form = formOf(basename(path));
  // Code has no positions, since its values may be computed. A pipe can be read only once.
  if (form === null || form === 'code' || isShellPipe(path)) return [];
  const text = configText(path, false);
  if (form === 'yaml') {
    const { yamlPositions } = await import('./config-yaml.ts');
    return yamlPositions(text, violations);
  }
  const prefix = form === 'package' ? '/appreg' : '';
  return positionsInJson(
    text,
    violations.map((one) => ({ ...one, pointer: prefix + one.pointer })),
  );
}
