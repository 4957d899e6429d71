import { parseSettings } from '../../../operator/settings/parse-settings';

function problems(...argv: readonly string[]): readonly string[] {
  const parsed = parseSettings({ argv: ['--standalone', ...argv], env: {} });
  return parsed.ok ? [] : parsed.problems.map(({ message }) => message);
}

describe('signalProblems', () => {
  test.each([
    ['nothing', []],
    ['no admin socket', ['--admin-socket=']],
    ['Splunk by https', ['--splunk-url=https://splunk.example:8088', '--splunk-token-file=/t']],
    ['Splunk beside us', ['--splunk-url=http://127.0.0.1:8088', '--splunk-token-file=/t']],
    ['events with a query', ['--cleanup-events-url=https://ror.example/events?kind=cluster']],
  ])('takes %s', (_name, argv) => {
    expect(problems(...argv)).toEqual([]);
  });

  test.each([
    ['a relative socket', ['--admin-socket=admin.sock'], '--admin-socket: "admin.sock" is not an absolute path'],
    ['a socket path that is too long', [`--admin-socket=/${'å'.repeat(54)}`], 'of at most 90 bytes'],
    ['Splunk without its token', ['--splunk-url=https://splunk.example'], '--splunk-url needs --splunk-token-file'],
    ['a token without Splunk', ['--splunk-token-file=/t'], '--splunk-token-file needs --splunk-url'],
    ['a token without events', ['--cleanup-events-token-file=/t'], 'needs --cleanup-events-url'],
    ['plain HTTP', ['--cleanup-events-url=http://ror.example'], '"http://ror.example" is not a URL with https://'],
  ])('refuses %s', (_name, argv, message) => {
    expect(problems(...argv)).toEqual([expect.stringContaining(message)]);
  });

  test('never quotes a URL that holds a login', () => {
    const [message = ''] = problems('--cleanup-events-url=https://me:hunter2@ror.example');
    expect(message).toContain('must not hold a login');
    expect(message).not.toContain('hunter2');
  });
});
