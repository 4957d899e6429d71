import { WaitingClaims, type ClaimLine } from '../../../../operator/front-doors/cluster-api/waiting-claims';

const key = (name: string) => ({ namespace: 'n', name, uid: name });
const PROVIDER = { apiGroup: 'example.com' };
const lineOf = (name: string, part = ''): ClaimLine => ({
  provider: PROVIDER,
  pool: { kind: 'Pool', namespace: '', name, part },
});
const named =
  (...names: readonly string[]) =>
  ({ pool }: ClaimLine): boolean =>
    names.includes(pool.name);
const woken = (waiting: WaitingClaims): string[] => {
  const names: string[] = [];
  waiting.onWake(({ name }) => names.push(name));
  return names;
};

describe('WaitingClaims', () => {
  const waiting = (): WaitingClaims => {
    const line = new WaitingClaims();
    for (const [name, createdAt] of [
      ['b', '2026-01-02'],
      ['a', '2026-01-01'],
      ['c', '2026-01-03'],
    ] as const)
      line.park(key(name), { line: lineOf('web'), createdAt }, true);
    line.park(key('other'), { line: lineOf('lan'), createdAt: '2025-12-31' }, true);
    return line;
  };

  test('wakes the oldest claim of a pool, and after each that was served the next one', () => {
    const line = waiting();
    const names = woken(line);
    line.changed(named('web'));
    expect(names).toEqual(['a']);
    line.leave('a');
    expect(names).toEqual(['a', 'b']);
    line.park(key('b'), { line: lineOf('web'), createdAt: '2026-01-02' }, true);
    expect(names).toEqual(['a', 'b']);
    line.changed(named('web'));
    expect(names).toEqual(['a', 'b', 'b']);
  });

  test('goes on to the next claim where one waits for something else than room', () => {
    const line = waiting();
    const names = woken(line);
    line.changed(named('web'));
    line.park(key('a'), { line: lineOf('web'), createdAt: '2026-01-01' }, false);
    line.park(key('b'), { line: lineOf('web'), createdAt: '2026-01-02' }, false);
    line.park(key('c'), { line: lineOf('web'), createdAt: '2026-01-03' }, false);
    expect(names).toEqual(['a', 'b', 'c']);
  });

  test('wakes none that was not asked, and none at all once another process leads', () => {
    const line = waiting();
    const names = woken(line);
    line.leave('b');
    line.clear();
    line.changed(named('web'));
    expect(names).toEqual([]);
  });

  test('a pool that is full keeps no other one from its turn', () => {
    const line = new WaitingClaims();
    for (const name of ['web', 'lan']) line.park(key(name), { line: lineOf(name), createdAt: '' }, true);
    line.park(key('part'), { line: lineOf('web', 'net1'), createdAt: '' }, true);
    const names = woken(line);
    line.changed(named('web', 'lan'));
    expect(names).toEqual(['web', 'lan', 'part']);
    line.park(key('web'), { line: lineOf('web'), createdAt: '' }, true);
    line.leave('lan');
    expect(names).toHaveLength(3);
  });

  test('a change that came while a claim was looked at wakes it again', () => {
    const line = new WaitingClaims();
    const since = line.mark();
    line.changed(named('web'));
    const names = woken(line);
    line.park(key('a'), { line: lineOf('web'), createdAt: '', since }, true);
    expect(names).toEqual(['a']);
  });
});
