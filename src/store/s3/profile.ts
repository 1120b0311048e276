import { message } from '../../core/text/message.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { homeFolder } from '../../platform/home-folder.ts';

/** The region and endpoint of the profile in ~/.aws/config, which are known before credentials are looked up. */

export type Environment = Readonly<Record<string, string | undefined>>;
type Section = Readonly<Record<string, string>>;

/** The region and endpoint of the shared configuration's profile, if it names them. */
export function profileSettings(env: Environment): { region: string | null; endpoint: string | null } {
  const section = configuredProfile(env);
  return { region: section?.['region'] ?? null, endpoint: section?.['endpoint_url'] ?? null };
}

function profileName(env: Environment): string {
  return env['AWS_PROFILE'] ?? env['AWS_DEFAULT_PROFILE'] ?? 'default';
}

/** The section of the profile in the configuration; null if the file or profile does not exist. */
function configuredProfile(env: Environment): Section | null {
  const named = env['AWS_CONFIG_FILE'];
  const home = homeFolder();
  const path = named ?? (home === null ? null : join(home, '.aws', 'config'));
  if (path === null) return null;
  const read = readRegularFile(path);
  if ('failure' in read) {
    if (named === undefined) return null;
    throw new AppregError('s3-credentials', message`${named} ${read.failure}.`, message`Check AWS_CONFIG_FILE.`);
  }
  const sections = sectionsOf(read.bytes.toString());
  const profile = profileName(env);
  return sections.get(profile) ?? sections.get(`profile ${profile}`) ?? null;
}

/** `[section]` and `name = value` lines; nested values (indented) are skipped. */
function sectionsOf(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (title !== undefined) {
      const name = title.trim().replace(/\s+/g, ' ');
      section = sections.get(name) ?? {};
      sections.set(name, section);
      continue;
    }
    const [, name, value] = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) section[name.toLowerCase()] = value.replace(/\s+[#;].*$/, '').trim();
  }
  return sections;
}
