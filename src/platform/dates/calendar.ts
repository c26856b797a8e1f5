// Owns the calendar in UTC, and the English names of its parts. Must never read a clock or a text.

export const dayMs = 86_400_000;

export const monthNames = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
export const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/** First months of the seasons of the northern hemisphere, from 0. Winter is in two years. */
export const seasonStarts: Readonly<Record<string, number>> = {
  spring: 2,
  summer: 5,
  autumn: 8,
  fall: 8,
  winter: 11,
};
/** Months and years on average; a weekend comes once a week. */
export const unitDays: Readonly<Record<string, number>> = {
  ...{
    minute: 1 / 1_440,
    hour: 1 / 24,
    day: 1,
    week: 7,
    weekend: 7,
    month: 30.44,
    quarter: 91.31,
    year: 365.25,
  },
};
export const countWords: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7 },
  ...{ eight: 8, nine: 9, ten: 10, eleven: 11, twelve: 12, fifteen: 15, twenty: 20, thirty: 30 },
};

export function startOfDay(time: number): number {
  return Math.floor(time / dayMs) * dayMs;
}

/** The start of the week's Monday. */
export function mondayOf(time: number): number {
  const day = startOfDay(time);
  return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
}
