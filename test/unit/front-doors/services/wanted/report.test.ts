import { IpamError } from '../../../../../operator/errors/ipam-error';
import { reportFault } from '../../../../../operator/front-doors/services/wanted/report';
import { createLogger } from '../../../../../operator/telemetry/pino-logger';
import { ManualClock } from '../../../../support/manual-clock';

const clock = new ManualClock();
const QUOTING = 'Unexpected token in {"secret":"correct-horse"}';

/** The logger of the process, with its lines. */
function realLogger() {
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', clock, destination: { write: (line) => lines.push(line) } });
  return { logger, lines };
}

const PLACE = /^at .*report\.test\.ts:\d+:\d+/u;

describe('reportFault', () => {
  const where = { namespace: 'a', service: { name: 'web' } } as Parameters<typeof reportFault>[2];

  test('shows where a foreign error was thrown and none of its text, through the logger of the process', () => {
    const { logger, lines } = realLogger();
    reportFault(logger, new TypeError(QUOTING), where);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'error',
      message: 'service could not be judged',
      timestamp: '2026-01-01T00:00:00.000Z',
      namespace: 'a',
      name: 'web',
      code: 'internal',
      error: 'TypeError',
      trace: expect.stringMatching(PLACE) as string,
    });
    expect(lines.join('')).not.toContain('correct-horse');
  });

  test('shows the sentence of an error of ours', () => {
    const { logger, lines } = realLogger();
    reportFault(logger, new IpamError('store/unavailable', 'the store is damaged'), where);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ code: 'store/unavailable', problem: 'the store is damaged' });
    expect(lines.join('')).not.toContain('dropped');
  });
});
