SELECT * FROM t TO TRAIN registry.example:5000/team/models:1.0-rc.1/Deep_Model -- the team's
LABEL y INTO m;
