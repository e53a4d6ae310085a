// What a stranger is told of a storage failure: the file and the remedy, not the folder.

import { expect, test } from 'vitest';
import { withoutFolders } from './storage-error.ts';

test.each([
  ['/var/lib/signalbox/signalbox.db is damaged; stop', 'signalbox.db is damaged; stop'],
  ['the disk that holds /home/my name/my data/signalbox.db is full', 'the disk that holds signalbox.db is full'],
  ['storage failed at data/signalbox.db: disk I/O error', 'storage failed at signalbox.db: disk I/O error'],
  ['storage failed at /my data/signalbox.db: disk I/O error', 'storage failed at signalbox.db: disk I/O error'],
  ['the folder /srv/my-data cannot be made', 'the folder my-data cannot be made'],
  ['./my data/signalbox.db is locked', 'signalbox.db is locked'],
  ['../data/signalbox.db is locked', 'signalbox.db is locked'],
  ['/signalbox.db is locked', 'signalbox.db is locked'],
  ['C:\\Users\\me\\data\\signalbox.db is locked', 'signalbox.db is locked'],
  ['cannot open "/srv/data/settings.db"', 'cannot open "settings.db"'],
  [
    'another Signalbox holds /data/api_keys.json; set API_KEY_STORE=/srv/my data/api_keys.json and start again',
    'another Signalbox holds api_keys.json; set API_KEY_STORE=api_keys.json and start again',
  ],
  ['holds /srv/a.b/keys.json; set API_KEY_STORE=data/keys.json', 'holds keys.json; set API_KEY_STORE=keys.json'],
  ['moved "/srv/my data/a.db" to "/mnt/b.db", whole', 'moved "a.db" to "b.db", whole'],
  ['storage is closed', 'storage is closed'],
  ['', ''],
])('%s', (message, told) => {
  expect(withoutFolders(message)).toBe(told);
});
