export const states = ['open', 'closed'] as const;

export function toggle(state: (typeof states)[number]): (typeof states)[number] {
  return state === 'open' ? 'closed' : 'open';
}
