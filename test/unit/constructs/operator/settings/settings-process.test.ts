import { ipamOperatorProblems } from '../../../../../constructs';
import type { Option } from '../../../../../operator/settings/option';
import { OPTIONS, type OptionName } from '../../../../../operator/settings/options';
import { argumentsOf, podOf, settingsOf, synthesized, zones } from '../../../../support/operator-objects';

describe('settings', () => {
  const changed = {
    admissionDeadlineSeconds: 5,
    reservationLeaseSeconds: 600,
    maxReservationsPerNamespace: 128,
    shutdownDelaySeconds: 60,
  };

  test('reach the operator under the names of its options', () => {
    expect(settingsOf(synthesized({ settings: changed }))).toMatchObject(changed);
    expect(settingsOf(synthesized({ ipamApi: { expose: { deadlineSeconds: 3 } } })).ipamApiDeadlineSeconds).toBe(3);
  });

  test('are left to the operator where nothing is said', () => {
    const flags = (Object.keys(changed) as OptionName[]).map((name): Option => OPTIONS[name]).map(({ flag }) => flag);
    expect(argumentsOf(synthesized()).filter((text) => flags.some((flag) => text.startsWith(flag)))).toEqual([]);
  });

  test('take 0 for a number, not for "not set"', () => {
    expect(settingsOf(synthesized({ settings: { shutdownDelaySeconds: 0 } })).shutdownDelaySeconds).toBe(0);
  });

  test('give the Pod time for the delay and for one whole review', () => {
    const graceOf = (seconds: number): unknown =>
      podOf(synthesized({ settings: { shutdownDelaySeconds: seconds } }))['terminationGracePeriodSeconds'];
    expect([graceOf(5), graceOf(60)]).toEqual([60, 115]);
  });

  test('know every number by the range of the option', () => {
    for (const name of Object.keys(changed) as OptionName[]) expect(OPTIONS[name].type).toBe('number');
  });
});

describe('settings of the record', () => {
  test('become arguments', () => {
    const settings = { historyDays: 30, recoverableSecrets: true, clusterId: '0b9c' };
    expect(settingsOf(synthesized({ settings }))).toMatchObject(settings);
  });

  test('refuse a history of no day', () => {
    const messages = ipamOperatorProblems({ zones, settings: { historyDays: 0 } }).map(({ message }) => message);
    expect(messages).toEqual(['settings.historyDays: 0 is not allowed; give whole days from 1 to 36500']);
  });
});
