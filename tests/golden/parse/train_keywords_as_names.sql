SELECT train FROM model TO TRAIN train WITH label=train, train.epoch=3, model.column=by COLUMN train, model, jobs, label LABEL label INTO show.models;
