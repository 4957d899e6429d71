import { props } from '../../props-kit/containers';
import { DNS_NAME_OR_EMPTY, SIZE } from '../../props-kit/kubernetes-values';
import { neededElsewhere } from '../../props-kit/rule';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { FLAG, HIDDEN_TEXT, NUMBER, single } from '../../props-kit/values';
import type { OperatorStoreProps, PostgresStoreProps, RemoteStoreProps, SqliteStoreProps } from './store-props';

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
  objects: FLAG,
});
