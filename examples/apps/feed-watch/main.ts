import { defineApp } from '@slflows/sdk/v1';
import limits from './limits.json';
import { newItems, parseFeed } from './feed.ts';

/** Emits an event for each new item of an RSS or Atom feed. */
export const app = defineApp({
  name: 'Feed Watch',
  installationInstructions: 'Enter the address of an RSS or Atom feed.',
  config: {
    feedUrl: { name: 'Feed URL', type: 'string', required: true },
  },
  blocks: {
    newItem: {
      name: 'New item',
      description: 'Fires once for each item that the feed did not have before.',
      outputs: { default: { possiblePrimaryParents: [] } },
    },
  },
  schedules: {
    poll: {
      description: 'Looks at the feed',
      definition: { type: 'frequency', frequency: { interval: limits.pollMinutes, unit: 'minutes' } },
      async onTrigger({ app, kv, events }) {
        const response = await fetch(app.config.feedUrl, { signal: AbortSignal.timeout(limits.timeoutSeconds * 1000) });
        if (!response.ok) throw new Error(`${app.config.feedUrl} answered ${response.status}`);
        const seen = new Set<string>((await kv.app.get('seen')).value ?? []);
        const fresh = newItems(parseFeed(await response.text()), seen).slice(0, limits.itemsPerPoll);
        for (const item of fresh) await events.emit('newItem', item);
        await kv.app.set({ key: 'seen', value: [...seen, ...fresh.map((item) => item.id)].slice(-limits.remembered) });
      },
    },
  },
});
