/** Lets every promise that can go on do so; for code whose timers a manual clock holds. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
