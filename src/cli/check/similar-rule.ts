import { didYouMean } from '../../core/text/similar-names.ts';

/** A sentence with the rules that a mistyped or abbreviated id may mean; '' if none is similar. */
export function similarRule(id: string, known: readonly string[]): string {
  const near = didYouMean(id, known);
  if (near !== '') return near;
  const words = id.toLowerCase().split(/[-_ ]/);
  const close = known.filter((k) => words.every((word) => k.includes(word)) || k.startsWith(id.slice(0, 12)));
  return close.length > 0 && close.length <= 3 ? ` Did you mean ${close.join(' or ')}?` : '';
}
