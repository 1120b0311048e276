export function brightness(percent: number): number {
  return Math.round((Math.min(100, Math.max(0, percent)) / 100) * 255);
}
