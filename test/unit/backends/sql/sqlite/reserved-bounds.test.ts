import * as fc from 'fast-check';
import { ReservedBounds } from '../../../../../operator/backends/sql/sqlite/reserved-bounds';

interface Trial {
  readonly kind: string;
  readonly of: string;
}

/** Reserved holders by namespace, and how often they were counted. */
class Reserved {
  readonly holders = new Map<string, number>();
  counts = 0;
  readonly bounds = new ReservedBounds((namespaceUid) => {
    this.counts += 1;
    return this.holders.get(namespaceUid) ?? 0;
  });

  add(namespaceUid: string): void {
    this.holders.set(namespaceUid, (this.holders.get(namespaceUid) ?? 0) + 1);
    this.bounds.added(namespaceUid);
  }

  end(namespaceUid: string): void {
    this.holders.set(namespaceUid, Math.max(0, (this.holders.get(namespaceUid) ?? 0) - 1));
  }

  /** Adds where the limit allows it, and says whether it did. */
  take(namespaceUid: string, limit: number): boolean {
    if (this.bounds.areOver(namespaceUid, 1, limit)) return false;
    this.add(namespaceUid);
    return true;
  }

  /** Runs a step; whether it was a take that came about, and whether the limit of three allowed one. */
  judge({ kind, of }: Trial): { readonly taken: boolean; readonly allowed: boolean } {
    const allowed = kind === 'take' && (this.holders.get(of) ?? 0) < 3;
    const taken = kind === 'take' && this.take(of, 3);
    if (kind === 'add') this.add(of);
    else if (kind === 'end') this.end(of);
    else if (kind === 'forget') this.bounds.forget();
    return { taken, allowed };
  }
}

describe('ReservedBounds', () => {
  test('judges as a count would, whatever came and went before', () => {
    const step = fc.record({ kind: fc.constantFrom('take', 'add', 'end', 'forget'), of: fc.constantFrom('a', 'b') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const reserved = new Reserved();
        const judged = steps.map((each) => reserved.judge(each));
        expect(judged.map(({ taken }) => taken)).toEqual(judged.map(({ allowed }) => allowed));
      }),
    );
  });

  test('counts once in as many takes as the limit allows, where each ends before the next', () => {
    const reserved = new Reserved();
    for (let index = 0; index < 640; index += 1) {
      expect(reserved.take('a', 64)).toBe(true);
      reserved.end('a');
    }
    expect(reserved.counts).toBeLessThanOrEqual(11);
  });

  test('looks at several spaces of one take together', () => {
    const reserved = new Reserved();
    reserved.add('a');
    expect([2, 3].map((more) => reserved.bounds.areOver('a', more, 3))).toEqual([false, true]);
  });

  test('forgets namespaces rather than growing without end', () => {
    const reserved = new Reserved();
    for (let index = 0; index < 20_001; index += 1) reserved.take(`ns-${String(index)}`, 64);
    reserved.take('ns-20000', 64);
    expect(reserved.counts).toBe(20_001);
    reserved.take('ns-0', 64);
    expect(reserved.counts).toBe(20_002);
  });
});
