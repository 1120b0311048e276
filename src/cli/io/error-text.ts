/** An error as stderr shows it: what is wrong, and then what to do. */
export function errorText(message: string, hint: string | null = null): string {
  return `appreg: ${message}\n${hint === null ? '' : `  ${hint}\n`}`;
}
