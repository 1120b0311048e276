import { sentence } from '../../lib/text.ts';

export function time(zone: string, now: Date): string {
  return sentence(`it is ${now.toLocaleTimeString('en', { timeZone: zone })} in ${zone}`);
}
