// How much of the execution is shown. Zooming out makes the lines of the timeline lower, down to a dot for each event;
// zooming in, beyond the lines as they are read, shows a shorter stretch in the overview.
const HEIGHTS = [26, 18, 10, 5];
const FEWEST = 100; // rows in the overview
const TEXT = 18; // the lowest line that has room for words

export const LEAST_ZOOM = 1 - HEIGHTS.length;
export const mostZoom = (rows: number) => Math.max(0, Math.ceil(Math.log2(Math.max(1, rows) / FEWEST)));
export const rowHeight = (zoom: number) => HEIGHTS[Math.max(0, -zoom)] ?? HEIGHTS[HEIGHTS.length - 1]!;
export const hasWords = (zoom: number) => rowHeight(zoom) >= TEXT;
// Rows in the overview, of so many.
export const stretch = (rows: number, zoom: number) => Math.max(Math.min(rows, FEWEST), Math.ceil(rows / 2 ** Math.max(0, zoom)));
