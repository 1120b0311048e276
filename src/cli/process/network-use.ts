import { isHttpUrl } from '../../core/url/url.ts';
import { message, type SafeText } from '../../core/text/message.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { requireNode } from '../../platform/runtime.ts';
import { type CommandDefinition, flagOf, REQUESTED_KINDS } from '../define/command.ts';

/** Values that a command line requests from the network, by the definition of its command. */

interface CommandLine {
  definition: CommandDefinition;
  options: Readonly<Record<string, unknown>>;
  args: readonly unknown[];
}

/**
 * Refuses a command line that uses the network, on a runtime other than Node.js.
 * @throws AppregError `runtime-unsupported` (exit 2)
 */
export function requireNodeForNetwork(line: CommandLine): void {
  const { name, network } = line.definition;
  const url = requestedUrl(line);
  if (network === 'always') requireNode(message`appreg ${name}, which uses the network,`);
  if (url !== null) requireNode(message`appreg ${name} with the URL ${safeExcerpt(url)}`);
  if (typeof network === 'object' && !network.unless.some((option) => isGiven(line, option)))
    requireNode(message`appreg ${name}, which requests the artifact from its public URL,`, avoiding(line, network));
}

/** The first URL among the arguments and options that will be requested; null if there is none. */
function requestedUrl({ definition, options, args }: CommandLine): string | null {
  const given = [
    ...definition.arguments.map(({ value }, index) => [value, args[index]] as const),
    ...Object.entries(definition.options).map(
      ([name, option]) => ['value' in option ? option.value : null, options[name]] as const,
    ),
  ];
  for (const [kind, value] of given) {
    if (!REQUESTED_KINDS.some((one) => one === kind)) continue;
    for (const text of [value].flat()) if (typeof text === 'string' && isHttpUrl(text)) return text;
  }
  return null;
}

function isGiven({ definition, options }: CommandLine, name: string): boolean {
  const isNegated = definition.options[name]?.flags.startsWith('--no-') === true;
  return isNegated ? options[name] === false : options[name] !== undefined && options[name] !== false;
}

/** @returns "use --check, --bump or --dry-run" */
function avoiding({ definition }: CommandLine, { unless }: { unless: readonly string[] }): SafeText {
  const flags = unless
    .map((name) => definition.options[name])
    .flatMap((option) => (option === undefined ? [] : flagOf(option)));
  return message`use ${flags.slice(0, -1).join(', ')} or ${flags.at(-1) ?? ''}`;
}
