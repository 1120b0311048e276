import { defineApp } from '@slflows/sdk/v1';
import { addBusinessMinutes, isOpen, type Week } from './calendar.ts';

/** Tells whether it is a working hour, and when a deadline counted in working hours ends. */
export const app = defineApp({
  name: 'Business Hours',
  config: {
    week: {
      name: 'Working hours',
      description: 'Opening and closing minute of each day, Sunday first; null for a free day.',
      type: { type: 'array', items: { type: ['array', 'null'], items: { type: 'number' } } },
      required: true,
    },
  },
  blocks: {
    gate: {
      name: 'Only in working hours',
      inputs: {
        default: {
          async onEvent({ event, app, events }) {
            if (isOpen(app.config.week as Week, new Date())) await events.emit(event.payload);
          },
        },
      },
      outputs: { default: {} },
    },
    deadline: {
      name: 'Deadline',
      inputs: {
        default: {
          config: { minutes: { name: 'Working minutes', type: 'number', required: true } },
          async onEvent({ event, app, events }) {
            const due = addBusinessMinutes(app.config.week as Week, new Date(), event.inputConfig.minutes);
            await events.emit({ due: due.toISOString() });
          },
        },
      },
      outputs: { default: {} },
    },
  },
});
