import type {
  OperatorStoreProps,
  PostgresStoreProps,
  RemoteStoreProps,
  SecretKeyReference,
  SqliteStoreProps,
} from './store-props';
import { props } from '../../props-kit/containers';
import { DNS_NAME_OR_EMPTY, SIZE } from '../../props-kit/kubernetes-values';
import { needed, neededElsewhere } from '../../props-kit/rule';
import { HIDDEN_TEXT, NUMBER, single } from '../../props-kit/values';

/** A key of a Secret. What is wrong may be the secret itself, so names are judged where no value is shown. */
export const SECRET_KEY = props<SecretKeyReference>({ name: needed(HIDDEN_TEXT, 'absent'), key: HIDDEN_TEXT });

/** Where claims are kept. */
export const STORE = props<OperatorStoreProps>({
  // an empty class is one of Kubernetes: a volume that is there already
  sqlite: props<SqliteStoreProps>({ size: SIZE, storageClassName: DNS_NAME_OR_EMPTY }),
  postgres: props<PostgresStoreProps>({ connection: neededElsewhere(SECRET_KEY), ca: SECRET_KEY, port: NUMBER }),
  remote: props<RemoteStoreProps>({
    url: neededElsewhere(HIDDEN_TEXT),
    apiVersion: single<2 | 3>({ types: ['number'], allowed: '2 or 3', holds: (value) => [2, 3].includes(value) }),
    token: SECRET_KEY,
    ca: SECRET_KEY,
    certificateSecret: HIDDEN_TEXT,
  }),
});
