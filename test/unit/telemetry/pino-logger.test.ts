import { createLogger, type LogLevel } from '../../../operator/telemetry/pino-logger';
import { ManualClock } from '../../support/manual-clock';

function recording(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const logger = createLogger({ level, clock: new ManualClock(), destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: (): unknown => JSON.parse(lines.at(-1) ?? 'null') };
}

describe('createLogger', () => {
  test('writes one JSON object in one line', () => {
    const { logger, lines } = recording();
    logger.info('zone\nread', { zone: 'a\nb' });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
  });

  test('writes time, level, message and allowed fields', () => {
    const { logger, last } = recording();
    logger.warn('zone read', { zone: 'inet', count: 2 });
    expect(last()).toEqual({
      timestamp: '2026-01-01T00:00:00.000Z',
      level: 'warn',
      message: 'zone read',
      zone: 'inet',
      count: 2,
    });
  });

  test('W-24 leaves out fields that are not allowed and names them', () => {
    const { logger, lines, last } = recording();
    logger.error('failed', { body: '{"Secret":"correct-horse"}', zone: 'inet' });
    expect(last()).toMatchObject({ zone: 'inet', dropped: ['body'] });
    expect(lines.join('')).not.toContain('correct-horse');
  });

  test('cuts a text that is too long', () => {
    const { logger, last } = recording();
    logger.info('long', { problem: 'x'.repeat(10_000) });
    expect((last() as { problem: string }).problem).toHaveLength(2_048);
  });

  test('FU-26 takes lines that cannot be written, and tells their number once one can be', () => {
    const lines: string[] = [];
    let isFull = true;
    const destination = {
      write: (line: string) => {
        if (isFull) throw Object.assign(new TypeError('no space left on device'), { code: 'ENOSPC' });
        lines.push(line);
      },
    };
    const told: string[] = [];
    const logger = createLogger({
      level: 'warn',
      clock: new ManualClock(),
      destination,
      also: (line) => told.push(line),
    });
    logger.warn('one');
    logger.error('two');
    isFull = false;
    logger.error('three');
    logger.error('four');

    const messages = (of: string[]) => of.map((line) => (JSON.parse(line) as { message: string }).message);
    expect(messages(lines)).toEqual(['three', 'log lines could not be written and are lost', 'four']);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ level: 'warn', count: 2 });
    expect(messages(told)).toEqual(['one', 'two', ...messages(lines)]);
  });

  test.each<[LogLevel, number]>([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
  ])('at level %s writes %i of the four levels', (level, count) => {
    const { logger, lines } = recording(level);
    logger.debug('d');
    logger.info('i');
    logger.warn('w');
    logger.error('e');
    expect(lines).toHaveLength(count);
  });
});
