export const app = { name: 'Clock' };
