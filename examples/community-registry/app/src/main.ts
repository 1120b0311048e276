export const app = { name: 'Lamp' };
