export function formulas(sums: string): Record<string, string>;
