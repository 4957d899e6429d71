import { closed, OpenedParts, openTogether } from '../../../operator/assembly/opened-parts';

describe('OpenedParts', () => {
  test('ends the newest part first, and each one after the other', async () => {
    const said: string[] = [];
    const parts = new OpenedParts();
    const slow = parts.add({ name: 'slow' }, async ({ name }) => {
      await Promise.resolve();
      said.push(name);
    });
    parts.add({ close: () => said.push('closable') }, (each) => {
      each.close();
    });
    parts.add({ close: () => Promise.resolve().then(() => void said.push('later closable')) }, closed);
    expect(slow).toEqual({ name: 'slow' });
    await parts.end();
    expect(said).toEqual(['later closable', 'closable', 'slow']);
  });

  test('ends the older parts when a newer one fails to end, and tells its failure', async () => {
    const ended: string[] = [];
    const parts = new OpenedParts();
    parts.add('lock of the store', (name) => void ended.push(name));
    parts.add('listener', () => Promise.reject(new RangeError('the listener is stuck')));
    await expect(parts.end()).rejects.toThrow('the listener is stuck');
    expect(ended).toEqual(['lock of the store']);
  });

  test('ends a part once', async () => {
    let times = 0;
    const parts = new OpenedParts();
    parts.add('part', () => {
      times += 1;
    });
    await parts.end();
    await parts.end();
    expect(times).toBe(1);
  });

  test('takes no part once the start is to end, and ends the one that came too late', async () => {
    const ended: string[] = [];
    const ending = new AbortController();
    const parts = new OpenedParts(ending.signal);
    parts.add('first', (name) => void ended.push(name));
    ending.abort(new RangeError('the process ends'));
    await parts.end();
    expect(() => parts.add('late', (name) => void ended.push(name))).toThrow(RangeError);
    await parts.end();
    expect(ended).toEqual(['first', 'late']);
  });
});

describe('openTogether', () => {
  const opening = (ended: string[], last: () => string) =>
    openTogether((parts) => {
      parts.add('watch', (name) => void ended.push(name));
      return Promise.resolve().then(last);
    });

  test('keeps what it opened', async () => {
    const ended: string[] = [];
    await expect(opening(ended, () => 'door')).resolves.toBe('door');
    expect(ended).toEqual([]);
  });

  test('ends what it opened where a later part fails, and tells that failure', async () => {
    const ended: string[] = [];
    const failing = opening(ended, () => {
      throw new RangeError('the record cannot be opened');
    });
    await expect(failing).rejects.toThrow('the record cannot be opened');
    expect(ended).toEqual(['watch']);
  });
});
