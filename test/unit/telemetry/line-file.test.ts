import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineFile } from '../../../operator/telemetry/line-file';

const failure = (code: string): Error => Object.assign(new TypeError(code), { code });

describe('lineFile', () => {
  let folder: string;
  let file: string;
  let fd: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lines-'));
    file = join(folder, 'log');
    fd = openSync(file, 'a');
  });

  afterEach(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  test('writes lines at once and whole, whatever the file takes in one go', () => {
    const sink = lineFile(fd, (to, bytes) => writeSync(to, bytes.subarray(0, 3)));
    sink.write('{"a":"é"}\n');
    expect(readFileSync(file, 'utf8')).toBe('{"a":"é"}\n');
  });

  test.each(['ENOSPC', 'EPIPE', 'EIO'])('FU-26 throws %s at the line alone, and writes the next one', (code) => {
    let broken = true;
    const sink = lineFile(fd, (to, bytes) => {
      if (broken) throw failure(code);
      return writeSync(to, bytes);
    });
    expect(() => {
      sink.write('one\n');
    }).toThrow(code);
    broken = false;
    sink.write('two\n');
    expect(readFileSync(file, 'utf8')).toBe('two\n');
  });

  test('FU-26 ends a line that a full disk cut before it begins the next', () => {
    const room = [4, 0];
    const sink = lineFile(fd, (to, bytes) => {
      const left = room.shift() ?? bytes.length;
      if (left === 0) throw failure('ENOSPC');
      return writeSync(to, bytes.subarray(0, left));
    });
    expect(() => {
      sink.write('first\n');
    }).toThrow('ENOSPC');
    sink.write('second\n');
    sink.write('third\n');
    expect(readFileSync(file, 'utf8')).toBe('firs\nsecond\nthird\n');
  });

  test('FU-26 waits a moment for a pipe that is full, and only once while nobody reads', () => {
    let full = 3;
    let calls = 0;
    const sink = lineFile(fd, (to, bytes) => {
      calls++;
      if (full-- > 0) throw failure('EAGAIN');
      return writeSync(to, bytes);
    });
    sink.write('one\n');
    expect([readFileSync(file, 'utf8'), calls]).toEqual(['one\n', 4]);
    full = 100;
    const write = () => {
      sink.write('two\n');
    };
    expect(write).toThrow('EAGAIN');
    calls = 0;
    expect(write).toThrow('EAGAIN');
    expect(calls).toBe(1);
  });
});
