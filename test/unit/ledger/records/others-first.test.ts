import { forEachInTurn } from '../../../../operator/ledger/records/others-first';

describe('forEachInTurn', () => {
  test('FU-07 sees everything in order and lets others go first after some hundreds', async () => {
    const seen: number[] = [];
    let turns = 0;
    let isDone = false;
    const other = (): void => {
      turns += 1;
      if (!isDone) setImmediate(other);
    };
    setImmediate(other);
    await forEachInTurn(
      Array.from({ length: 5_000 }, (_, i) => i),
      (each) => seen.push(each),
    );
    isDone = true;
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  test('gives no other work a turn for a few', async () => {
    let isOther = false;
    setImmediate(() => (isOther = true));
    await forEachInTurn([1, 2, 3], () => undefined);
    expect(isOther).toBe(false);
  });
});
