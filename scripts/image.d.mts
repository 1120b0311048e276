import type { Programs } from './platforms.mjs';

export function writeImageFiles(folder: string, platform: string, programs: Programs): void;
