import { props } from '../../props-kit/containers';
import { FLAG, NUMBER, SOME_TEXT, word } from '../../props-kit/values';
import type { OperatorSettingsProps } from './settings-props';

/** Times and limits. */
export const SETTINGS = props<OperatorSettingsProps>({
  admissionDeadlineSeconds: NUMBER,
  reservationLeaseSeconds: NUMBER,
  maxReservationsPerNamespace: NUMBER,
  shutdownDelaySeconds: NUMBER,
  historyDays: NUMBER,
  historyRowsPerNamespace: NUMBER,
  recoverableSecrets: FLAG,
  clusterId: SOME_TEXT,
  namespacePreset: word('as-begun', 'minimal', 'original'),
});
