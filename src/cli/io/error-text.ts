import type { SafeText } from '../../core/text/message.ts';

/** An error as stderr shows it: what is wrong, and then what to do. */
export function errorText(summary: SafeText, hint: SafeText | null = null): string {
  return `appreg: ${summary}\n${hint === null ? '' : `  ${hint}\n`}`;
}
