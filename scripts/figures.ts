// Figures of a benchmark: the middle one of many, and a table with ratios to the first row.

/** The median of a list of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** One row: a name, its figure, and more columns. */
export type Row = { readonly name: string; readonly figure: number; readonly more?: readonly string[] };

/** Prints rows with the ratio of each figure to that of `base`. */
export function printTable(title: string, unit: string, rows: readonly Row[], base = rows[0]): void {
  const width = Math.max(...rows.map((row) => row.name.length));
  console.log(`\n${title}`);
  for (const row of rows) {
    const ratio = base === undefined ? 1 : row.figure / base.figure;
    const columns = [
      row.name.padEnd(width),
      `${row.figure.toFixed(2)} ${unit}`.padStart(14),
      `${ratio.toFixed(2)} x`.padStart(9),
    ];
    console.log(`  ${[...columns, ...(row.more ?? [])].join("  ")}`);
  }
}
