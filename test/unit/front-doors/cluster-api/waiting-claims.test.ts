import { WaitingClaims } from '../../../../operator/front-doors/cluster-api/waiting-claims';

const key = (name: string) => ({ namespace: 'n', name, uid: name });
const woken = (waiting: WaitingClaims): string[] => {
  const names: string[] = [];
  waiting.onWake(({ name }) => names.push(name));
  return names;
};

describe('WaitingClaims', () => {
  const waiting = (): WaitingClaims => {
    const line = new WaitingClaims();
    for (const [name, createdAt] of [
      ['b', '2'],
      ['a', '1'],
      ['c', '3'],
    ] as const)
      line.park(key(name), { pool: 'web', createdAt }, true);
    line.park(key('other'), { pool: 'lan', createdAt: '0' }, true);
    return line;
  };

  test('wakes the oldest claim of a pool, and after each that was served the next one', () => {
    const line = waiting();
    const names = woken(line);
    line.changed('web');
    expect(names).toEqual(['a']);
    line.leave('a');
    expect(names).toEqual(['a', 'b']);
    line.park(key('b'), { pool: 'web', createdAt: '2' }, true);
    expect(names).toEqual(['a', 'b']);
    line.changed('web');
    expect(names).toEqual(['a', 'b', 'b']);
  });

  test('goes on to the next claim where one waits for something else than room', () => {
    const line = waiting();
    const names = woken(line);
    line.changed('web');
    line.park(key('a'), { pool: 'web', createdAt: '1' }, false);
    line.park(key('b'), { pool: 'web', createdAt: '2' }, false);
    line.park(key('c'), { pool: 'web', createdAt: '3' }, false);
    expect(names).toEqual(['a', 'b', 'c']);
  });

  test('wakes none that was not asked, and none at all once another process leads', () => {
    const line = waiting();
    const names = woken(line);
    line.leave('b');
    line.clear();
    line.changed('web');
    expect(names).toEqual([]);
  });
});
