import { sentence } from '../../lib/text.ts';

export function message(degrees: number): string {
  return sentence(degrees >= 100 ? 'the water boils' : `the water has ${degrees} degrees`);
}
