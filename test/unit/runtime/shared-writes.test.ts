import { SharedWrites } from '../../../operator/runtime/shared-writes';

describe('SharedWrites', () => {
  test('does a write once for all that ask, and remembers it', async () => {
    const writes = new SharedWrites<string>();
    let count = 0;
    const write = () => Promise.resolve(`written ${String((count += 1))}`);
    const all = await Promise.all([writes.do('a', write), writes.do('a', write), writes.do('b', write)]);
    expect(all).toEqual(['written 1', 'written 1', 'written 2']);
    expect(await writes.do('a', write)).toBe('written 1');
    writes.forget('a');
    expect(await writes.do('a', write)).toBe('written 3');
  });

  test('does one again that came to nothing, or failed', async () => {
    const writes = new SharedWrites<string>();
    expect(await writes.do('a', () => Promise.resolve(undefined))).toBeUndefined();
    await expect(writes.do('a', () => Promise.reject(new RangeError('lost')))).rejects.toThrow('lost');
    expect(await writes.do('a', () => Promise.resolve('written'))).toBe('written');
  });
});
